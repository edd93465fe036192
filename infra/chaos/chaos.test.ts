import { beforeAll, expect, test } from 'vitest';
import { type ChaosResult, runChaos } from './chaos.ts';
import { holds } from './checks/check.ts';
import { checkAll, groupsOf } from './checks/checks.ts';
import { faultsOf } from './faults/faults.ts';
import { figuresOf } from './evidence/figures.ts';
import { postForgeries } from './forgeries/post-forgeries.harness.ts';
import { recordForgeries } from './forgeries/record-forgeries.harness.ts';
import { trashForgeries } from './forgeries/trash-forgeries.harness.ts';
import { reportOf } from './evidence/report.ts';

/**
 * An upper limit, not the expected time. It is shorter than the hook timeout, whose error would not show the progress.
 */
const giveUpAfterMs = 280_000;

let result: ChaosResult;
let groups: ReturnType<typeof groupsOf>;
/** Progress messages, shown only if the run or a check fails. */
const said: string[] = [];

beforeAll(async () => {
  const stop = new AbortController();
  const say = (line: string) => void said.push(line);
  const speed = { leaseMs: 1_500, calmMs: 300, warmUpMs: 2_000, durationMs: 0, isHurried: true, postsPerSecond: 12 };
  const bed = { seed: Date.now() % 1_000_000, natsNodes: 1, say, signal: stop.signal };
  const timer = setTimeout(() => stop.abort(), giveUpAfterMs);
  result = await runChaos({ ...bed, ...speed }).catch((cause: unknown) => {
    throw new Error(`The chaos run did not finish:\n${said.join('\n')}`, { cause });
  });
  clearTimeout(timer);
  groups = groupsOf(result.evidence);
});

test('every check holds while processes are killed and connections are cut', () => {
  const { evidence, checks } = result;
  const report = [...said, reportOf(figuresOf(evidence), checks)].join('\n');
  expect(
    checks.filter((check) => !holds(check)).map(({ claim }) => claim),
    report,
  ).toEqual([]);
});

test('every fault was injected', () => {
  const names = faultsOf({ nats: { nodes: [{}] } }).map(({ name }) => name);
  expect(new Set(result.evidence.timeline.faults.map(({ name }) => name))).toEqual(new Set(names));
});

const forgeries = [...postForgeries, ...recordForgeries, ...trashForgeries];

test.each(forgeries)('a check fails on forged evidence: %s', (claim, forge) => {
  const forged = checkAll({ ...result.evidence, ...forge(result.evidence) }, [groups.get(claim)!]);
  expect(forged.filter((check) => !holds(check)).map((check) => check.claim)).toContain(claim);
});

test('every check is tested by a forgery', () => {
  expect(forgeries.map(([claim]) => claim).toSorted()).toEqual(result.checks.map(({ claim }) => claim).toSorted());
});
