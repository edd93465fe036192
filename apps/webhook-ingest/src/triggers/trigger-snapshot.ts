import { hashCredential, isSameHash } from '@relata/auth';
import type { EncryptionKeys } from '@relata/secrets';
import {
  type AssignedVersion,
  type CompiledAssignment,
  compileAssignment,
  compileRepeatKey,
  type FindRepeat,
  type TriggerSnapshotRow,
} from '@relata/workflows/intake';
import type { workflowInputs } from './workflow-inputs.ts';
import { compileSender, type Sender } from '../signed/signed-sender.ts';

export interface SnapshotSecret {
  /** Id of the secret; null for an API key. */
  id: string | null;
  hash: string;
  /** Time of expiry in milliseconds since 1970; Infinity if the secret does not expire. */
  expiresAtMs: number;
  keyId: string | null;
}

/** The part of a trigger that is needed to accept a delivery. */
export interface TriggerSnapshot {
  orgId: string;
  id: string;
  secrets: readonly SnapshotSecret[];
  /** The sender; undefined for `X-Webhook-Secret`. If the sender signs, `secrets` are not accepted. */
  sender: Sender | undefined;
  /** SHA-256, in hexadecimal, of the token with which the vendor checks the URL. */
  verifyTokenHash: string | null;
  assignments: readonly CompiledAssignment[];
  /** Number of inputs that take a value from the payload. Each value may be the whole payload. */
  mappedInputs: number;
  findRepeat: FindRepeat;
}

export interface CompileOptions {
  signingKeys: EncryptionKeys | undefined;
  inputsOf: ReturnType<typeof workflowInputs>;
  onFault: (error: unknown) => void;
}

/** Compiles a trigger. A workflow whose definition can no longer be read does not affect the other workflows. */
export async function compileTrigger(row: TriggerSnapshotRow, options: CompileOptions): Promise<TriggerSnapshot> {
  const { signingKeys, inputsOf, onFault } = options;
  const assignments: CompiledAssignment[] = [];
  for (const workflow of row.workflows) {
    const inputs = await inputsOf(row.org_id, workflow);
    assignments.push(compiled(workflow, inputs, onFault));
  }
  return {
    orgId: row.org_id,
    id: row.id,
    secrets: row.secrets.map(({ id, hash, expires_at, key_id }) => ({
      id,
      hash,
      expiresAtMs: expires_at === null ? Infinity : Date.parse(expires_at),
      keyId: key_id,
    })),
    sender: compileSender(row, signingKeys, onFault),
    verifyTokenHash: row.verify_token_hash,
    findRepeat: compileRepeatKey(row.repeat_key, row.signature?.kind),
    assignments,
    mappedInputs: assignments.flatMap(({ sources }) => sources).filter(({ path }) => path?.root === 'payload').length,
  };
}

function compiled(
  workflow: AssignedVersion,
  inputs: Awaited<ReturnType<CompileOptions['inputsOf']>>,
  onFault: CompileOptions['onFault'],
): CompiledAssignment {
  try {
    if (inputs instanceof Error) throw inputs;
    return compileAssignment(workflow, inputs);
  } catch (error) {
    onFault(error);
    return { ...compileAssignment({ ...workflow, filter: null }, {}), filter: failing };
  }
}

const failing = () => {
  throw new Error('The definition or the filter cannot be read. Apply the workflow again.');
};

/** Compares a verify token in constant time. */
export function isVerifyToken({ verifyTokenHash }: TriggerSnapshot, sent: string | undefined): boolean {
  return verifyTokenHash !== null && sent !== undefined && isSameHash(verifyTokenHash, hashCredential(sent));
}
