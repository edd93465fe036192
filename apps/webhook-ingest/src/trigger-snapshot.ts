import {
  type CompiledAssignment,
  compileAssignment,
  type TriggerSnapshotRow,
  readDefinition,
} from '@relata/workflows/intake';
import type { SnapshotSecret } from './trigger-secret.ts';

/** All that is needed of a trigger to take a delivery. */
export interface TriggerSnapshot {
  orgId: string;
  id: string;
  secrets: readonly SnapshotSecret[];
  assignments: readonly CompiledAssignment[];
}

/** Makes a stored trigger ready. A definition that cannot be read any more hurts only its own workflow. */
export function compileTrigger(row: TriggerSnapshotRow, onFault: (error: unknown) => void): TriggerSnapshot {
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
        return compileAssignment(workflow, readDefinition(workflow.definition).inputs);
      } catch (error) {
        onFault(error);
        return { ...compileAssignment({ ...workflow, filter: null }, {}), filter: failing };
      }
    }),
  };
}

const failing = () => {
  throw new Error('The definition or the filter cannot be read. Apply the workflow again.');
};
