import { traceFields, tracing } from '@relata/telemetry';
import { type DestinationStream, type Logger, pino } from 'pino';

/** A log. `access` writes one line per request; its fields are fixed and contain no secrets, so it redacts nothing. */
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
  const stream = destination ?? bufferedStdout();
  const options = { name, level, timestamp, formatters: { level: (word: string) => ({ level: word }) } };
  // Only if tracing is on when the log is created, since a mixin is called for every line.
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

function bufferedStdout(): DestinationStream {
  return pino.destination({ dest: 1, sync: false, minLength: 8_192, periodicFlush: 250 });
}

function flushNow(stream: DestinationStream): void {
  if (!('flushSync' in stream) || typeof stream.flushSync !== 'function') return;
  try {
    stream.flushSync();
  } catch {
    // The stream is not open yet, or its reader has gone, so there is nothing to flush.
  }
}
