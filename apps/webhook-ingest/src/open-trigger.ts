import { type OpenAssignment, openAssignment, type OpenTriggerRow, readDefinition } from '@relata/workflows';
import type { OpenSecret } from './trigger-secret.ts';

/** All that is needed of a trigger to take a delivery. */
export interface OpenTrigger {
  orgId: string;
  id: string;
  secrets: readonly OpenSecret[];
  assignments: readonly OpenAssignment[];
}

/** Makes a stored trigger ready. A definition that cannot be read any more hurts only its own workflow. */
export function openTrigger(row: OpenTriggerRow, onFault: (error: unknown) => void): OpenTrigger {
  return {
    orgId: row.org_id,
    id: row.id,
    secrets: row.secrets.map(({ hash, expires_at, key_id }) => ({
      hash,
      expiresAtMs: expires_at === null ? Infinity : Date.parse(expires_at),
      keyId: key_id,
    })),
    assignments: row.workflows.map((workflow) => {
      try {
        return openAssignment(workflow, readDefinition(workflow.definition).inputs);
      } catch (error) {
        onFault(error);
        return { ...openAssignment({ ...workflow, filter: null }, {}), filter: failing };
      }
    }),
  };
}

const failing = () => {
  throw new Error('The definition or the filter cannot be read. Apply the workflow again.');
};
