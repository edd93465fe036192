import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageBox } from './message-box.ts';
import { readSlackMessage } from './slack-message.ts';

export interface Inbox extends AsyncDisposable {
  /**
   * Messages are posted to this URL, and a GET returns them as `{ "messages": [{ at, lines }] }`. Its path is a secret.
   */
  url: string;
}

interface Message {
  at: string;
  lines: string[];
}

interface InboxResponse {
  status: number;
  type?: string;
  text: string;
}

const host = '127.0.0.1';
const bodyBytesMax = 65_536;
const requestMaxDefaultMs = 5_000;
const keptMax = 100;

/**
 * Opens a local substitute for the team's channel, which accepts messages like an incoming webhook of Slack. It passes
 * each message to `show`, and keeps the last 100 until it is closed. A message must arrive within `requestMaxMs`.
 */
export async function openInbox(show: (box: string) => void, requestMaxMs = requestMaxDefaultMs): Promise<Inbox> {
  const path = `/inbox/${randomBytes(24).toString('base64url')}`;
  const kept: Message[] = [];
  const onMessage = (lines: string[]) => {
    kept.push({ at: new Date().toISOString(), lines });
    kept.splice(0, kept.length - keptMax);
    show(messageBox(lines));
  };
  const limits = { requestTimeout: requestMaxMs, headersTimeout: requestMaxMs, connectionsCheckingInterval: 500 };
  const server = createServer(limits, (request, response) => {
    const answering = request.url === path ? respond(request, kept, onMessage) : notFound;
    Promise.resolve(answering).then(
      (made) => send(response, made),
      // The sender has disconnected in the middle of its message.
      () => response.destroy(),
    );
  });
  await once(server.listen(0, host), 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://${host}:${port}${path}`, [Symbol.asyncDispose]: () => close(server) };
}

const notFound: InboxResponse = { status: 404, text: 'no_service' };

/** Answers like Slack: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */
async function respond(
  request: IncomingMessage,
  kept: readonly Message[],
  onMessage: (lines: string[]) => void,
): Promise<InboxResponse> {
  if (request.method === 'GET')
    return { status: 200, type: 'application/json', text: JSON.stringify({ messages: kept }) };
  if (request.method !== 'POST') return { status: 405, text: 'method_not_allowed' };
  const body = await readBody(request);
  if (body === undefined) return { status: 413, text: 'payload_too_large' };
  const lines = linesOf(body);
  if (!lines) return { status: 400, text: 'invalid_payload' };
  onMessage(lines);
  return { status: 200, text: 'ok' };
}

/**
 * Returns the body as a string, or undefined if it is over the limit. Reads and discards the rest of such a body within
 * the time limit, so that the sender can read the answer.
 */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= bodyBytesMax) chunks.push(chunk);
  }
  return bytes <= bodyBytesMax ? Buffer.concat(chunks).toString('utf8') : undefined;
}

function linesOf(body: string): string[] | undefined {
  try {
    return readSlackMessage(JSON.parse(body));
  } catch {
    return undefined;
  }
}

/** Sends an answer and closes its connection, so that closing the server never waits for an idle connection. */
function send(response: ServerResponse, { status, type = 'text/plain', text }: InboxResponse): void {
  response.writeHead(status, { 'Content-Type': `${type}; charset=utf-8`, Connection: 'close' }).end(text);
}

async function close(server: ReturnType<typeof createServer>): Promise<void> {
  const closed = once(server, 'close');
  server.close().closeAllConnections();
  await closed;
}
