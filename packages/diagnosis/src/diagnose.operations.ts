import { type Check, type DiagnosisContext, fault, type Finding, type Verdict, warning } from './check.ts';
import { checks } from './checks.ts';
import { reasonOf } from './reason.ts';

/** How long one check may take. */
const checkMs = 5_000;

/**
 * Runs all checks at once and returns a finding of each, in the order of the list. It takes at most twice `limitMs`: what
 * needs a server is asked after that server has answered. Throws nothing: a check that fails is a fault.
 */
export async function diagnose(
  context: DiagnosisContext,
  { limitMs = checkMs, asked = checks }: { limitMs?: number; asked?: readonly Check[] } = {},
): Promise<Finding[]> {
  const servers = new Map(
    asked.flatMap((check) => (check.needs ? [] : [[check.name, findingOf(check, context, limitMs)] as const])),
  );
  return Promise.all(
    asked.map(async (check) => {
      const { name, needs } = check;
      if (!needs) return servers.get(name)!;
      const server = await servers.get(needs);
      return server?.level === 'fault' ? { check: name, ...unasked(needs) } : findingOf(check, context, limitMs);
    }),
  );
}

const unasked = (needs: string) => warning('Not checked.', `See ${needs}.`);

async function findingOf({ name, judge }: Check, context: DiagnosisContext, limitMs: number): Promise<Finding> {
  try {
    return { check: name, ...(await inTime(judge(context), limitMs)) };
  } catch (error) {
    return { check: name, ...fault(`The check failed: ${reasonOf(error)}.`, 'See the log of the server it asks.') };
  }
}

async function inTime(judging: Promise<Verdict>, limitMs: number): Promise<Verdict> {
  const { promise, resolve } = Promise.withResolvers<Verdict>();
  const late = fault(`There was no answer within ${limitMs / 1_000} s.`, 'See what keeps the server busy, or locked.');
  const timer = setTimeout(() => resolve(late), limitMs);
  try {
    return await Promise.race([judging, promise]);
  } finally {
    clearTimeout(timer);
  }
}
