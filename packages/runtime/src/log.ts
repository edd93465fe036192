import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

/** Names under which a secret might stand in something that is logged. */
const secretPaths = [
  'authorization',
  'key',
  'secret',
  'password',
  '*.authorization',
  '*.key',
  '*.secret',
  '*.password',
  'headers["x-api-key"]',
  'headers["x-webhook-secret"]',
  '*.headers["x-api-key"]',
  '*.headers["x-webhook-secret"]',
];

export interface LogOptions {
  name: string;
  level: string;
  destination?: DestinationStream;
}

/** JSON lines on standard output, written in blocks: a line waits at most a quarter of a second. */
export function createLog({ name, level, destination }: LogOptions): Log & Disposable {
  const stream = destination ?? bufferedStdout();
  const log = pino({ name, level, redact: secretPaths, timestamp: pino.stdTimeFunctions.isoTime }, stream);
  return Object.assign(log, { [Symbol.dispose]: () => flushNow(stream) });
}

function bufferedStdout(): DestinationStream {
  return pino.destination({ dest: 1, sync: false, minLength: 8_192, periodicFlush: 250 });
}

function flushNow(stream: DestinationStream): void {
  if (!('flushSync' in stream) || typeof stream.flushSync !== 'function') return;
  try {
    stream.flushSync();
  } catch {
    // Not open yet, or its reader has gone: nothing is left to be told.
  }
}
