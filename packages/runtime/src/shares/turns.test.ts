import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setImmediate as nextLoop } from 'node:timers/promises';
import { Turns } from './turns.ts';

const holdMs = 4;

// With the real clock, a delay of a busy machine would count as time of a turn.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

function hold(ms = holdMs): void {
  vi.advanceTimersByTime(ms);
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

test('an organization never waits for its own burst if no other organization is active', () => {
  const turns = new Turns();
  for (let i = 0; i < 5; i++) {
    expect(turns.take(['a', `key ${i}`])).toBeUndefined();
    hold();
  }
});

test("a second organization ends the first one's privilege as soon as it arrives", async () => {
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
  // Each worker holds the loop for longer than the budget, so at most one begins per turn of the loop.
  for (let begun = 0; begun < 5;) {
    await nextLoop();
    expect(log.length - begun).toBeLessThanOrEqual(1);
    begun = log.length;
  }
  await Promise.all(all);
  expect(turns.waiting).toBe(0);
});

test('the waiting organization with the least recent time goes first, however many turns it has had (found A1)', async () => {
  const turns = shared();
  const log: string[] = [];
  const work = async (organization: string, ms: number) => {
    await turns.take([organization]);
    log.push(organization);
    hold(ms);
  };
  void turns.take(['a']);
  // The loop is now held for so long that no work continues at once.
  hold(15);
  const all = [...['a', 'a'].map((name) => work(name, 5)), ...['b', 'b', 'b', 'c'].map((name) => work(name, 1))];
  await Promise.all(all);
  expect(log).toEqual(['b', 'c', 'b', 'b', 'a', 'a']);
});

test('work that gives way continues after all work that arrived meanwhile, or after one turn of the loop if there is none (found A1)', async () => {
  const alone = new Turns();
  let loops = 0;
  setImmediate(() => loops++);
  await alone.yieldToLoop(['a']);
  expect(loops).toBe(1);
  const turns = shared();
  const log: string[] = [];
  const work = async (name: string) => {
    await turns.take([name]);
    log.push(name);
  };
  void turns.take(['a']);
  hold();
  const going = turns.yieldToLoop(['a']).then(() => log.push('going on'));
  await Promise.all([work('b'), work('c'), going]);
  expect(log).toEqual(['b', 'c', 'going on']);
});

test('long work gives way every few milliseconds', async () => {
  const yieldAfterSlice = new Turns().yieldAfterSlice(['a']);
  expect(yieldAfterSlice()).toBeUndefined();
  hold(3);
  await expect(yieldAfterSlice()).resolves.toBeUndefined();
  expect(yieldAfterSlice()).toBeUndefined();
});

test('an organization with less recent time than the others continues at once, until the loop is held too long', async () => {
  const turns = shared();
  const burst = Array.from({ length: 9 }, () => turns.take(['a']));
  hold();
  const waiting = turns.take(['a']);
  expect(waiting).toBeInstanceOf(Promise);
  expect(turns.take(['light'])).toBeUndefined();
  hold(12);
  const late = turns.take(['light']);
  expect(late).toBeInstanceOf(Promise);
  await Promise.all([...burst, waiting, late]);
});

test('time that one organization has taken gives no other organization a lasting advantage', async () => {
  const turns = shared();
  hold(50);
  await nextLoop();
  await nextLoop();
  hold(200);
  // A new period of 100 ms has no times of other organizations to compare with.
  expect(turns.take(['light'])).toBeUndefined();
  hold();
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
  // Asks for its second turn at the beginning of a turn of the loop, when other work has not held the loop yet.
  const first = turns.take(['a'])!.then(() => work('late', 'a'));
  await Promise.all([first, work('1', 'a'), work('2', 'a')]);
  expect(log).toEqual(['1', '2', 'late']);
});
