import { Slots, unlessAborted } from '@relata/runtime';
import { type Check, type DiagnosisContext, fault, type Finding, warning } from './check.ts';
import { checks } from './checks.ts';
import { errorReason } from './reason.ts';

const checkMs = 5_000;
const slowMs = 1_000;

/**
 * Number of concurrent checks per server. It must not exceed the size of the caller's pool. Otherwise checks would use
 * up their time limit waiting for a connection.
 */
const atOnceDefault = 3;

export interface DiagnoseOptions {
  /** Time limit of each check, from the start of the check. */
  limitMs?: number;
  atOnce?: number;
  /** Called with the name of a check when it has run for a second. */
  onSlow?: (check: string) => void;
  asked?: readonly Check[];
}

/**
 * Runs all checks and returns a finding for each, in the order of the list. Checks that need a server run after it has
 * responded, a few at a time, each with its own time limit. Never throws: a check that fails is a fault.
 */
export async function diagnose(
  context: DiagnosisContext,
  { limitMs = checkMs, atOnce = atOnceDefault, asked = checks, onSlow }: DiagnoseOptions = {},
): Promise<Finding[]> {
  const find = async (check: Check) => {
    const slow = setTimeout(() => onSlow?.(check.name), slowMs);
    const finding = await findingOf(check, context, limitMs);
    clearTimeout(slow);
    return finding;
  };
  const servers = new Map(asked.flatMap((check) => (check.needs ? [] : [[check.name, find(check)] as const])));
  const slots = { database: new Slots(atOnce), nats: new Slots(atOnce) };
  return Promise.all(
    asked.map(async (check) => {
      const { name, needs } = check;
      if (!needs) return servers.get(name)!;
      const server = await servers.get(needs);
      if (server?.level === 'fault') return { check: name, ...unasked(needs) };
      using _slot = await slots[needs].hold([]);
      return await find(check);
    }),
  );
}

const notChecked = 'Not checked.';
const unasked = (needs: string) => warning(notChecked, `See ${needs}.`);

/** Returns true for a check that did not run because its server has a fault. */
export const isUnasked = ({ found }: Finding) => found === notChecked;

async function findingOf({ name, run }: Check, context: DiagnosisContext, limitMs: number): Promise<Finding> {
  const late = AbortSignal.timeout(limitMs);
  try {
    return { check: name, ...(await unlessAborted(run(context), late)) };
  } catch (error) {
    const found = late.aborted
      ? `There was no answer within ${limitMs / 1_000} s`
      : `The check failed: ${errorReason(error)}`;
    const advice = late.aborted
      ? 'Find out what keeps the server busy or locked.'
      : 'Read the log of the server that the check queries.';
    return { check: name, ...fault(`${found}.`, advice) };
  }
}
