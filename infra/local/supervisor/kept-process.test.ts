import type { Exit } from '@relata/embedded';
import { beforeEach, expect, test, vi } from 'vitest';
import { KeptProcess, type RestartPauses } from './kept-process.ts';

let lines: string[];

beforeEach(() => {
  lines = [];
});

/** A fake process that ends when the test ends it. */
class Fake {
  readonly pid: number;
  readonly #exit = Promise.withResolvers<Exit>();
  readonly exited = this.#exit.promise;

  constructor(pid: number) {
    this.pid = pid;
  }

  die(): void {
    this.#exit.resolve({ code: 1, signal: null });
  }

  async stop(): Promise<void> {
    this.#exit.resolve({ code: 0, signal: null });
  }
}

const pauses: RestartPauses = { firstMs: 1, mostMs: 8, calmMs: 60_000 };

async function keep(start: () => Promise<Fake>, other: { onRestart?: () => void; pauses?: RestartPauses } = {}) {
  const say = (line: string) => lines.push(line);
  const { signal } = new AbortController();
  return KeptProcess.start({ name: 'app', start, say, onRestart: () => {}, signal, pauses, ...other });
}

/** Returns the reported pauses, in milliseconds. */
function announced(): number[] {
  return lines.flatMap((line) => /in ([\d.]+) s/.exec(line)?.[1] ?? []).map((seconds) => Number(seconds) * 1_000);
}

function fakes() {
  const started: Fake[] = [];
  const start = async () => {
    const next = new Fake(started.length + 1);
    started.push(next);
    return next;
  };
  return { started, start };
}

async function killRepeatedly(started: Fake[], times: number): Promise<void> {
  for (let death = 1; death <= times; death += 1) {
    started.at(-1)?.die();
    await vi.waitFor(() => expect(lines.filter((line) => line.includes('runs again'))).toHaveLength(death), {
      timeout: 60_000,
    });
  }
}

test('a process that dies is restarted under a new id, and the restart is reported', async () => {
  const { started, start } = fakes();
  const onRestart = vi.fn<() => void>();
  const kept = await keep(start, { onRestart });
  await killRepeatedly(started, 1);
  expect(kept.running.pid).toBe(2);
  expect(onRestart).toHaveBeenCalledOnce();
  expect(lines).toEqual(['app ended (exit code 1); starting it again in 0.001 s', 'app runs again (process 2)']);
  await kept.stop();
});

test('the pause before a restart doubles with each death, up to the maximum', async () => {
  const { started, start } = fakes();
  const kept = await keep(start);
  await killRepeatedly(started, 5);
  expect(announced()).toEqual([1, 2, 4, 8, 8]);
  await kept.stop();
});

test('after a process has run for long enough, the next restart uses the first pause again', async () => {
  const { started, start } = fakes();
  const kept = await keep(start, { pauses: { ...pauses, calmMs: 0 } });
  await killRepeatedly(started, 3);
  expect(announced()).toEqual([1, 1, 1]);
  await kept.stop();
});

test('a restart that fails is repeated, and its error is reported', async () => {
  const { started, start } = fakes();
  const starts = vi.fn<typeof start>(start).mockImplementationOnce(start);
  starts.mockImplementationOnce(() => Promise.reject(new Error('no port')));
  const kept = await keep(starts);
  await killRepeatedly(started, 1);
  expect(lines).toContain('no port');
  expect(announced()).toEqual([1, 2]);
  await kept.stop();
});

test('a first start that fails rejects', async () => {
  await expect(keep(() => Promise.reject(new Error('bad setting')))).rejects.toThrow('bad setting');
});

test('a stop during a pause prevents the restart', async () => {
  const { started, start } = fakes();
  const kept = await keep(start, { pauses: { firstMs: 60_000, mostMs: 60_000, calmMs: 60_000 } });
  started[0]?.die();
  await vi.waitFor(() => expect(announced()).toEqual([60_000]), { timeout: 60_000 });
  await kept.stop();
  expect(started).toHaveLength(1);
});
