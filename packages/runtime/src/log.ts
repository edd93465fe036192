import fs from 'node:fs';
import { traceFields, tracing } from '@relata/telemetry';
import { type DestinationStream, type Logger, pino } from 'pino';

/**
 * A log. Its child `access` writes one line per request. The fields of these lines contain no secrets, so nothing is
 * redacted.
 */
export type Log = Logger & { readonly access: Logger };

/** Names of logged fields that might contain a secret. */
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

/**
 * Creates a log that writes JSON lines to standard output in blocks; a line waits for at most a quarter of a second.
 */
export function createLog({ name, level, destination }: LogOptions): Log & Disposable {
  const stream = destination ?? (stdout ??= bufferedStdout());
  const options = { name, level, timestamp, formatters: { level: (word: string) => ({ level: word }) } };
  // Without tracing there is no mixin, since a mixin is called for every line.
  const traced = tracing && { mixin: () => traceFields() };
  const log = pino({ ...options, ...traced, redact: secretPaths }, stream);
  const access = pino(options, stream);
  return Object.assign(log, { access, [Symbol.dispose]: () => flushNow(stream) });
}

let stampedMs = 0;
let stamp = '';

/** Returns the time in ISO 8601, cached because many lines fall into one millisecond. */
function timestamp(): string {
  const now = Date.now();
  if (now !== stampedMs) {
    stampedMs = now;
    stamp = `,"time":"${new Date(now).toISOString()}"`;
  }
  return stamp;
}

/** Maximum total size, in bytes, of lines that wait to be written. Further lines are dropped. */
const waitingBytesMax = 1_048_576;

/** Shared by the logs of a process, because each stream has a timer that writes, even if it has no lines. */
let stdout: DestinationStream | undefined;

function bufferedStdout(): DestinationStream {
  const stream = pino.destination({
    dest: 1,
    sync: false,
    minLength: 8_192,
    maxLength: waitingBytesMax,
    periodicFlush: 250,
  });
  // Without a listener, a full disk would end the process, and requests matter more than the log. The waiting lines are
  // written again with the next line, and at the next periodic flush.
  stream.on('error', () => {});
  const flush = stream.flushSync.bind(stream);
  // Disposing of the log calls this; pino also calls it after a fatal line and when the process exits.
  stream.flushSync = dropRefused.bind(undefined, flush);
  return stream;
}

/**
 * Calls `flushSync` of sonic-boom 4, which repeats a failed write for ever: a process whose disk is full or whose
 * reader has gone would never end. No option limits this. Therefore a failed write counts as done during the flush, and
 * its lines are lost. After EAGAIN the write is repeated, since the reader is only slow.
 */
function dropRefused(flush: () => void): void {
  const { writeSync } = fs;
  const write = (fd: number, lines: string | Buffer) => {
    try {
      return typeof lines === 'string' ? writeSync(fd, lines) : writeSync(fd, lines);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') throw error;
      return Buffer.byteLength(lines);
    }
  };
  // The flush is synchronous, so no other code calls the replaced function.
  fs.writeSync = write as typeof writeSync;
  try {
    flush();
  } finally {
    fs.writeSync = writeSync;
  }
}

function flushNow(stream: DestinationStream): void {
  if (!('flushSync' in stream) || typeof stream.flushSync !== 'function') return;
  try {
    stream.flushSync();
  } catch {
    // The stream is not open yet, so there is nothing to flush.
  }
}
