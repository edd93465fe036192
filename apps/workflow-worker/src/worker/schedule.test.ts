import { Slots } from '@relata/runtime';
import type { ClaimedRun } from '@relata/workflows/execution';
import { expect, test } from 'vitest';
import { Backlog, type RunHint } from './backlog.ts';
import { Quarantine } from './quarantine.ts';
import { type Claim, Schedule } from './schedule.ts';

/** Creates a schedule with `size` slots. `held` are the numbers of slots that organizations already hold. */
function newSchedule(size: number, held: Record<string, number> = {}) {
  const slots = { runs: new Slots(size), calls: new Slots(size) };
  for (const [orgId, count] of Object.entries(held)) for (let i = 0; i < count; i++) slots.runs.take([orgId]);
  const [backlog, quarantine] = [new Backlog(), new Quarantine()];
  return { runs: slots.runs, backlog, quarantine, schedule: new Schedule(slots, backlog, quarantine) };
}

const hintsOf = (orgId: string, count: number) =>
  Array.from({ length: count }, (_, at): RunHint => [orgId, `${orgId}${at}`]);

/** Counts the hints in claims by organization. */
function countHints(claims: readonly Claim[]): Record<string, number> {
  const hints = claims.flatMap((claim) => ('hints' in claim ? claim.hints : []));
  return Object.fromEntries([...Map.groupBy(hints, ([orgId]) => orgId)].map(([orgId, of]) => [orgId, of.length]));
}

const stalled = (id: string, stalls: number) => ({ id, org_id: 'a', stalls }) as ClaimedRun;

test('claims all hints in one statement, but the hints of a workflow with a limit in a separate statement', () => {
  const { schedule, backlog } = newSchedule(64);
  backlog.add([
    ['a', '1'],
    ['b', '2'],
    ['b', '3', 'w'],
    ['a', '4'],
    ['b', '5', 'w'],
  ]);
  expect(schedule.next(0).claims.map((claim) => ({ ...claim, slots: claim.slots.length }))).toEqual([
    { way: 'hinted', slots: 3, hints: [expect.arrayContaining(['1']), expect.anything(), expect.anything()] },
    expect.objectContaining({ way: 'limited', slots: 2, workflow: { org_id: 'b', workflow_id: 'w' } }),
  ]);
});

test('claims up to half of the slots for a single organization, but only eight at a time while others have hints', () => {
  const alone = newSchedule(64);
  alone.backlog.add(hintsOf('a', 100));
  expect(countHints(alone.schedule.next(0).claims)).toEqual({ a: 32 });
  const beside = newSchedule(64);
  beside.backlog.add([...hintsOf('a', 100), ...hintsOf('b', 1)]);
  expect(countHints(beside.schedule.next(0).claims)).toEqual({ a: 8, b: 1 });
  expect(countHints(beside.schedule.next(0).claims)).toEqual({ a: 8 });
});

test('claims for an organization that has most of its slots once a quarter of them is free', () => {
  const { schedule, backlog, runs } = newSchedule(64, { a: 31 });
  backlog.add(hintsOf('a', 20));
  expect(schedule.next(0)).toEqual({ claims: [], waitMs: 25 });
  for (let i = 0; i < 7; i++) runs.release(['a']);
  expect(countHints(schedule.next(1).claims)).toEqual({ a: 8 });
});

test('claims for the free slots after 25 ms, even if there are only a few', () => {
  const { schedule, backlog } = newSchedule(64, { a: 31 });
  backlog.add(hintsOf('a', 20));
  expect(schedule.next(0).waitMs).toBe(25);
  expect(schedule.next(10)).toEqual({ claims: [], waitMs: 15 });
  expect(countHints(schedule.next(25).claims)).toEqual({ a: 1 });
});

test('claims immediately for a few slots if the organization has no slots yet, or can have only a few', () => {
  const { schedule, backlog } = newSchedule(64, { a: 31, b: 15 });
  backlog.add([...hintsOf('a', 1), ...hintsOf('other', 1)]);
  expect(countHints(schedule.next(0).claims)).toEqual({ other: 1 });
  const small = newSchedule(4, { a: 1 });
  small.backlog.add(hintsOf('a', 1));
  expect(countHints(small.schedule.next(0).claims)).toEqual({ a: 1 });
});

test('does not claim for an organization that has all of its slots, and does not delay others for it', () => {
  const { schedule, backlog } = newSchedule(64, { a: 32 });
  backlog.add(hintsOf('a', 5));
  expect(schedule.next(0)).toEqual({ claims: [], waitMs: Infinity });
  expect([schedule.isAnyFull(['a']), schedule.isAnyFull(['b'])]).toEqual([true, false]);
  backlog.add(hintsOf('b', 1));
  expect(countHints(schedule.next(0).claims)).toEqual({ b: 1 });
});

test('claims runs without hints once no hint is left, as long as there are such runs', () => {
  const { schedule, backlog } = newSchedule(64);
  backlog.add(hintsOf('a', 1));
  backlog.addOrganizations(['b']);
  expect(schedule.next(0).claims.map(({ way }) => way)).toEqual(['hinted']);
  const [claim] = schedule.next(0).claims;
  expect(claim).toMatchObject({ way: 'overflow', orgId: 'b' });
  for (const slot of claim!.slots) slot.free();
  expect(schedule.claimed([{ claim: claim!, runs: claim!.slots }])).toBe(false);
  expect(schedule.next(0).claims).toMatchObject([{ way: 'overflow', orgId: 'b' }]);
  expect(schedule.next(0).claims).toEqual([]);
});

test('claims for workflows with a limit with half of the free slots, and again as long as all of these are filled', () => {
  const { schedule, backlog } = newSchedule(64);
  const workflow = { org_id: 'a', workflow_id: 'w' };
  backlog.addWorkflows([workflow]);
  backlog.add(hintsOf('a', 1));
  const [claim, hinted] = schedule.next(0).claims;
  expect([claim!.slots.length, hinted!.slots.length]).toEqual([16, 1]);
  for (const slot of claim!.slots) slot.free();
  schedule.claimed([{ claim: claim!, runs: claim!.slots }]);
  expect(schedule.next(0).claims).toMatchObject([{ way: 'limited', workflow }]);
  schedule.claimed([{ claim: claim!, runs: [] }]);
  expect(schedule.next(0).claims).toEqual([]);
});

test('reports that the run of a hint was not claimed, since its workflow may have a limit', () => {
  const { schedule, backlog } = newSchedule(64);
  backlog.add(hintsOf('a', 2));
  const [claim] = schedule.next(0).claims;
  expect(schedule.claimed([{ claim: claim!, runs: [1] }])).toBe(true);
  expect(schedule.claimed([{ claim: claim!, runs: [1, 2] }])).toBe(false);
});

test('claims nothing else while a run that stalled again is executed, and then a waiting stalled run before all others', () => {
  const { schedule, backlog, quarantine } = newSchedule(64);
  quarantine.admit(stalled('1', 2), 0);
  quarantine.add(stalled('2', 1));
  backlog.add(hintsOf('a', 1));
  expect(schedule.next(1_000)).toEqual({ claims: [], waitMs: 4_000 });
  expect(schedule.sweepWaitMs(1_000)).toBe(4_000);
  quarantine.end('1');
  const hints = schedule.next(1_000).claims.flatMap((claim) => ('hints' in claim ? claim.hints : []));
  expect(hints.map(([, id]) => id)).toEqual(['2', 'a0']);
});

test('waits for the turn of the next stalled run', () => {
  const { schedule, quarantine } = newSchedule(64);
  quarantine.admit(stalled('1', 1), 0);
  quarantine.add(stalled('2', 1));
  expect(schedule.next(0)).toEqual({ claims: [], waitMs: 10_000 });
});

test('sweeps at its interval, and after a full sweep as soon as a quarter of the slots is free', () => {
  const { schedule, runs } = newSchedule(64, { a: 32 });
  expect(schedule.sweepWaitMs(0)).toBe(0);
  schedule.swept(false, 1_000);
  expect([schedule.sweepWaitMs(400), schedule.sweepWaitMs(1_000)]).toEqual([600, 0]);
  for (let i = 0; i < 17; i++) runs.take([`o${i}`]);
  schedule.swept(true, 2_000);
  expect(schedule.sweepWaitMs(5_000)).toBe(Infinity);
  runs.release(['a']);
  expect(schedule.sweepWaitMs(1_000)).toBe(0);
});

test('a sweep fills three quarters of the free slots, and gives no organization more than its room', () => {
  const { schedule } = newSchedule(64, { a: 20 });
  expect(schedule.sweepRoom(['a', 'a'])).toEqual({ limit: 33, of: new Map([['a', 12]]), ofOthers: 22 });
});
