import { connect } from 'node:net';
import type { FuzzRequest } from './request.ts';

/** A response; status 0 if the connection was closed without one. */
export interface Answer {
  status: number;
  headers: ReadonlyMap<string, string>;
  body: string;
}

const none: Answer = { status: 0, headers: new Map(), body: '' };
const answerTimeoutMs = 20_000;

/** Sends a request, which may be invalid HTTP, on a new connection, and reads the response. */
export function send(url: string, { bytes, isCutOff }: FuzzRequest): Promise<Answer> {
  const { hostname, port } = new URL(url);
  const isHead = bytes.toString('latin1', 0, 5) === 'HEAD ';
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    const settle = (answer: Answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setEncoding('latin1').setTimeout(answerTimeoutMs);
    socket.on('timeout', () => {
      socket.destroy();
      reject(
        new Error(`No complete response within ${answerTimeoutMs / 1_000} s: ${JSON.stringify(text.slice(0, 200))}`),
      );
    });
    socket.on('data', (chunk: string) => {
      text += chunk;
      const answer = wholeAnswer(text, isHead);
      if (answer) settle(answer);
    });
    // A server that refuses a head closes the connection while the rest is still being sent.
    socket.on('error', () => settle(answerIn(text) ?? none));
    socket.on('close', () => settle(answerIn(text) ?? none));
    socket.write(bytes);
    if (isCutOff) socket.end();
  });
}

/** Returns the response once all of it has arrived. */
function wholeAnswer(text: string, isHead: boolean): Answer | undefined {
  const answer = answerIn(text);
  if (!answer) return undefined;
  const { headers, status, body } = answer;
  const hasNone = isHead || status === 204 || status === 304 || headers.get('content-type')?.startsWith('text/event-');
  const length = headers.get('content-length');
  return hasNone || (length !== undefined && body.length >= Number(length)) ? answer : undefined;
}

/** Returns the part of the response that has arrived; undefined until its head is complete. */
function answerIn(text: string): Answer | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [first, ...lines] = text.slice(0, end).split('\r\n');
  const status = Number(first!.slice(9, 12));
  if (status < 200) return answerIn(text.slice(end + 4));
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.replace(/^[^:]*: */, '')]),
  );
  return { status, headers, body: text.slice(end + 4) };
}
