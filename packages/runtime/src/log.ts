import { traceFields, tracing } from '@relata/telemetry';
import { type DestinationStream, type Logger, pino } from 'pino';

/** `access` is for the one line a request: its fields are fixed and hold no secret, so none is looked for. */
export type Log = Logger & { readonly access: Logger };

/** Names of fields that might hold a secret in what is logged. */
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
  const options = { name, level, timestamp };
  // Only where it is on when the log begins: a mixin is called for every line.
  const traced = tracing && { mixin: () => traceFields() };
  const log = pino({ ...options, ...traced, redact: secretPaths }, stream);
  const access = pino(options, stream);
  return Object.assign(log, { access, [Symbol.dispose]: () => flushNow(stream) });
}

let stampedMs = 0;
let stamp = '';

/** ISO 8601; many lines fall into one millisecond. */
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
    // Not open yet, or its reader has gone: there is nothing to flush.
  }
}
