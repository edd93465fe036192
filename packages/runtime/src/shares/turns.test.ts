import { expect, onTestFinished, test, vi } from 'vitest';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { Turns } from './turns.ts';

const holdMs = 4;

function hold(ms = holdMs): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** Returns a worker that takes a turn, holds the loop for a while, and records its name. */
function worker(turns: Turns, log: string[]) {
  return async (name: string, party = name) => {
    await turns.take([party]);
    log.push(name);
    hold();
  };
}

/** Creates turns that two organizations have taken lately. */
function shared(): Turns {
  const turns = new Turns();
  for (const organization of ['other', 'a']) void turns.take([organization]);
  return turns;
}

test('an organization that is alone never waits for its own burst', () => {
  const turns = new Turns();
  for (let i = 0; i < 5; i++) {
    expect(turns.take(['a', `key ${i}`])).toBeUndefined();
    hold();
  }
});

test('an organization that arrives while another holds the event loop ends its privilege at once', async () => {
  const turns = new Turns();
  void turns.take(['a']);
  expect(turns.take(['b'])).toBeUndefined();
  expect(turns.take(['a'])).toBeUndefined();
  hold();
  const waiting = turns.take(['a']);
  expect(waiting).toBeInstanceOf(Promise);
  await waiting;
});

test('while the event loop is not busy, work continues at once', async () => {
  // With the real clock, a delay on a busy machine would count as time for which a turn blocked the loop.
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const turns = new Turns();
  expect(turns.take(['a'])).toBeUndefined();
  expect(turns.take(['a'])).toBeUndefined();
  await nextLoop();
  await nextLoop();
  expect(turns.take(['b'])).toBeUndefined();
});

test('a burst leaves the event loop to others after a few milliseconds', async () => {
  const turns = shared();
  const log: string[] = [];
  const work = worker(turns, log);
  void turns.take(['a']);
  hold();
  const all = Array.from({ length: 5 }, (_, at) => work(`burst ${at}`, 'a'));
  const between: number[] = [];
  while (log.length < 5) {
    await nextLoop();
    between.push(log.length);
  }
  await Promise.all(all);
  // Any of them holds the loop for longer than the budget, so each has its own loop.
  expect(between).toEqual([...new Set(between)]);
  expect(turns.waiting).toBe(0);
});

test('of the waiting organizations, the one with the least recent time goes first, however many turns it had (found A1)', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const turns = shared();
  const log: string[] = [];
  const work = async (organization: string, ms: number) => {
    await turns.take([organization]);
    log.push(organization);
    vi.advanceTimersByTime(ms);
  };
  void turns.take(['a']);
  // Long enough that nobody continues immediately.
  vi.advanceTimersByTime(15);
  const all = [...['a', 'a'].map((name) => work(name, 5)), ...['b', 'b', 'b', 'c'].map((name) => work(name, 1))];
  await Promise.all(all);
  expect(log).toEqual(['b', 'c', 'b', 'b', 'a', 'a']);
});

test('work that gives way continues after everything that arrived meanwhile, and after one event loop if nobody else is there (found A1)', async () => {
  const alone = new Turns();
  let loops = 0;
  setImmediate(() => loops++);
  await alone.giveWay(['a']);
  expect(loops).toBe(1);
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const turns = shared();
  const log: string[] = [];
  const work = async (name: string) => {
    await turns.take([name]);
    log.push(name);
  };
  void turns.take(['a']);
  vi.advanceTimersByTime(holdMs);
  const going = turns.giveWay(['a']).then(() => log.push('going on'));
  await Promise.all([work('b'), work('c'), going]);
  expect(log).toEqual(['b', 'c', 'going on']);
});

test('long work gives way every few milliseconds', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const pace = new Turns().pace(['a']);
  expect(pace()).toBeUndefined();
  vi.advanceTimersByTime(3);
  await expect(pace()).resolves.toBeUndefined();
  expect(pace()).toBeUndefined();
});

test('an organization with less recent time than the others continues at once, until the loop is held too long', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const turns = shared();
  const burst = Array.from({ length: 9 }, () => turns.take(['a']));
  vi.advanceTimersByTime(holdMs);
  const waiting = turns.take(['a']);
  expect(waiting).toBeInstanceOf(Promise);
  expect(turns.take(['light'])).toBeUndefined();
  vi.advanceTimersByTime(12);
  const late = turns.take(['light']);
  expect(late).toBeInstanceOf(Promise);
  vi.useRealTimers();
  await Promise.all([...burst, waiting, late]);
});

test('time taken by one organization gives no other a lasting lead', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const turns = shared();
  for (let turn = 0; turn < 9; turn++) void turns.take(['a']);
  vi.advanceTimersByTime(200);
  // In the first turn of a new tenth of a second there are no others to compare with.
  void turns.take(['light']);
  vi.advanceTimersByTime(holdMs);
  expect(turns.take(['light'])).toBeInstanceOf(Promise);
});

test('short pieces of work share one turn of the event loop', async () => {
  const turns = shared();
  let started = 0;
  const short = async () => {
    await turns.take(['a']);
    started++;
  };
  void turns.take(['a']);
  hold();
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const all = Array.from({ length: 50 }, short);
  await nextLoop();
  await nextLoop();
  expect(started).toBe(50);
  await Promise.all(all);
});

test('later work never overtakes waiting work', async () => {
  const turns = shared();
  const log: string[] = [];
  const work = worker(turns, log);
  void turns.take(['a']);
  hold();
  const burst = [work('1', 'a'), work('2', 'a'), work('3', 'a')];
  await nextLoop();
  const late = work('late', 'a');
  await Promise.all([...burst, late]);
  expect(log).toEqual(['1', '2', '3', 'late']);
});
