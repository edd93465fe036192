import { type Check, type DiagnosisContext, fault, type Finding, type Verdict, warning } from './check.ts';
import { checks } from './checks.ts';
import { reasonOf } from './reason.ts';

/** How long one check may take. */
const checkMs = 5_000;

/** As many as the smallest pool that runs them has connections: none waits for one while its time goes on. */
const atOnceDefault = 3;

export interface DiagnoseOptions {
  /** Of each check, from when it begins. */
  limitMs?: number;
  /** How many are asked of one server at the same time. */
  atOnce?: number;
  asked?: readonly Check[];
}

/**
 * Runs all checks and returns a finding of each, in the order of the list. What needs a server is asked after that server
 * has answered, a few at a time; each has a time of its own. Throws nothing: a check that fails is a fault.
 */
export async function diagnose(
  context: DiagnosisContext,
  { limitMs = checkMs, atOnce = atOnceDefault, asked = checks }: DiagnoseOptions = {},
): Promise<Finding[]> {
  const find = (check: Check) => findingOf(check, context, limitMs);
  const servers = new Map(asked.flatMap((check) => (check.needs ? [] : [[check.name, find(check)] as const])));
  const turns = { database: inTurns(atOnce), nats: inTurns(atOnce) };
  return Promise.all(
    asked.map(async (check) => {
      const { name, needs } = check;
      if (!needs) return servers.get(name)!;
      const server = await servers.get(needs);
      return server?.level === 'fault' ? { check: name, ...unasked(needs) } : turns[needs](() => find(check));
    }),
  );
}

/** Does so much at the same time at most, in the order in which it is asked for. */
function inTurns(atOnce: number): (work: () => Promise<Finding>) => Promise<Finding> {
  const waiting: (() => void)[] = [];
  let active = 0;
  return async (work) => {
    if (active === atOnce) await new Promise<void>((begin) => waiting.push(begin));
    else active++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else active--;
    }
  };
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
