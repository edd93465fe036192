import type { SealedPlace } from './sealed-value.ts';

/** Identifies a secret of an organization. */
export interface SecretName {
  orgId: string;
  name: string;
}

export const placeOf = ({ orgId, name }: SecretName): SealedPlace => ({ purpose: 'relata secret', orgId, name });
