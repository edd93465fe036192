import { fork } from 'node:child_process';
import { once } from 'node:events';
import { compiledDir } from '@relata/testbed/places';
import type { FloodJob, FloodMessage } from './flood.ts';
import type { Figures } from '../neighbour.ts';

/** The time after which a flood that does not end is killed. */
const endWithinMs = 5_000;

/** Starts a flood in a process of its own, so that it does not delay the measurement. */
export function startFlood(job: FloodJob) {
  // Compiled once for all rows; otherwise compiling would use the CPU during measurements.
  const env = { ...process.env, NODE_COMPILE_CACHE: compiledDir };
  const child = fork(new URL('./flood.worker.ts', import.meta.url), { execArgv: [], env });
  // The last message of the flood has arrived once the channel is closed.
  const exited = Promise.all([once(child, 'exit'), once(child, 'disconnect')]);
  let figures: Figures = {};
  let failure: string | undefined;
  child.on('message', (message: FloodMessage) => {
    if ('error' in message) failure = message.error;
    else figures = message.figures;
  });
  child.send(job);
  /** Returns the figures so far. Throws the error of a flood that failed, because its row then proves nothing. */
  const read = () => {
    if (failure !== undefined) throw new Error(`The flood failed: ${failure}`);
    return figures;
  };
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), endWithinMs);
    await exited;
    clearTimeout(timer);
  };
  return {
    read,
    /** Returns once its connections are closed. */
    stop: async () => {
      await end('SIGTERM');
      read();
    },
    [Symbol.asyncDispose]: () => end('SIGKILL'),
  };
}
