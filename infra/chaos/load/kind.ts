import type { SignatureSpec } from '@relata/signatures';
import type { Random } from '@relata/testbed/random';

/** A workflow that a kind of post starts, and the exact effects of its run. */
export interface KindWorkflow {
  definition: { name: string; inputs: Record<string, unknown>; steps: unknown[] };
  inputs: Record<string, string>;
  /** Expression that decides which payloads start the workflow. */
  filter?: string;
  /** Final status of the run; `none` if there must be no run. */
  ending: 'succeeded' | 'failed' | 'none';
  error?: string;
  /** Returns the expected steps of the journal with their states, such as `call succeeded`. */
  steps: (payload: Payload) => string[];
  /** Returns the expected activities, each as its source and content. */
  effects: (payload: Payload) => string[];
  isCalling?: boolean;
  /** True to replace the stored definition by one that no release can read. */
  isUnreadable?: boolean;
}

export interface Payload extends Record<string, unknown> {
  nonce: string;
}

export interface Sender {
  signature: SignatureSpec;
  /** The secret, if the sender's system chooses it. */
  secret?: string;
  /** Header whose value identifies repeats; undefined if a field of the body does. */
  repeatHeader?: string;
  /** True to change the body after it has been signed. */
  isForged?: boolean;
}

/** A kind of post: its own trigger, the requests to it, and the expected result. */
export interface Kind {
  name: string;
  /** Relative frequency of this kind. */
  weight: number;
  payload: (nonce: string, random: Random) => Payload;
  /** Creates the body; by default it is the payload as JSON. */
  body?: (payload: Payload) => Buffer;
  /** Sender of a kind that signs and marks repeats; undefined for other kinds. */
  sender?: Sender;
  /** Status of the response if no fault prevents it. */
  status: number;
  workflows: readonly KindWorkflow[];
}

interface Step extends Record<string, unknown> {
  id: string;
}

/**
 * Returns a workflow whose runs succeed. Its inputs are `nonce` and the given inputs, each from the field of the same
 * name in the payload. Unless `more` says otherwise, its steps contain no loop, and it writes one activity with the
 * nonce as its content.
 */
export function succeeding(
  name: string,
  inputs: Record<string, object>,
  steps: readonly Step[],
  more: Partial<KindWorkflow> = {},
): KindWorkflow {
  const mapped = Object.keys(inputs).map((input) => [input, `payload.${input}`]);
  return {
    definition: { name, inputs: { nonce: { type: 'string', required: true }, ...inputs }, steps: [...steps] },
    inputs: { nonce: 'payload.nonce', ...Object.fromEntries(mapped) },
    ending: 'succeeded',
    steps: () => steps.map(({ id }) => `${id} succeeded`),
    effects: ({ nonce }) => [`${name} ${nonce}`],
    ...more,
  };
}

/** Returns a step that creates exactly one activity, which identifies the run. */
export function logStep(source: string, content = '${{ inputs.nonce }}') {
  return { id: 'log', use: 'activity.create', with: { content, source } };
}

/** Returns a workflow that only creates the activity that identifies its run. */
export const logging = (name: string) => succeeding(name, {}, [logStep(name)]);
