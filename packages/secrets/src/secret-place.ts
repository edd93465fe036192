import type { SealedPlace } from './sealed-value.ts';

/** Where a secret of an organization is stored. */
export interface SecretName {
  orgId: string;
  name: string;
}

export const placeOf = ({ orgId, name }: SecretName): SealedPlace => ({ purpose: 'relata secret', orgId, name });
