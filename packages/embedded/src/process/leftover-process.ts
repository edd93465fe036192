import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { setTimeout as pause } from 'node:timers/promises';

const run = promisify(execFile);
const pollMs = 20;

/** A step towards ending a process: a signal, and the time to wait for its effect. */
export interface StopStep {
  signal: NodeJS.Signals;
  waitMs: number;
}

// A process id alone proves nothing: after a restart of the machine or container it may belong to another process. The
// command line identifies it.
async function commandLine(pid: number): Promise<string> {
  if (existsSync('/proc/self/cmdline')) {
    // The file is empty if the process has ended but its parent has not collected it yet.
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ');
  }
  const { stdout } = await run('ps', ['-o', 'command=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  return stdout;
}

/** Returns true if the process runs and its command line contains all of these words. */
export async function isRunning(pid: number, words: readonly string[]): Promise<boolean> {
  if (!Number.isInteger(pid) || pid <= 1) return false;
  const line = await commandLine(pid);
  return line !== '' && words.every((word) => line.includes(word));
}

/**
 * Ends a process that is not our child, step by step, and returns true if it has ended. Polls, because only the parent
 * is notified of the end.
 */
export async function stopStranger(
  pid: number,
  words: readonly string[],
  steps: readonly StopStep[],
): Promise<boolean> {
  for (const { signal, waitMs } of steps) {
    if (!(await isRunning(pid, words))) return true;
    sendSignal(pid, signal);
    const deadline = Date.now() + waitMs;
    while (Date.now() < deadline && (await isRunning(pid, words))) await pause(pollMs);
  }
  return !(await isRunning(pid, words));
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return;
    throw error;
  }
}
