import { once } from 'node:events';
import { request as httpRequest, type ClientRequest, type IncomingMessage, type RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { exchange, open, serve } from './gateway.harness.ts';

const bodies = { '200 KB': 200_000, '3 MB': 3_000_000, 'a body without end': Infinity };
const framings = { chunked: 'Transfer-Encoding', 'of a declared length': 'Content-Length' };
const apps: Record<string, RequestListener> = {
  'keeps the connection': (_, response) => response.writeHead(413).end('too large'),
  'closes the connection': (_, response) => response.writeHead(413, { Connection: 'close' }).end('too large'),
  'reads a little and closes': (request, response) => {
    request.once('data', () => {
      request.pause();
      response.writeHead(413, { Connection: 'close' }).end('too large');
    });
  },
};
const cases = Object.keys(apps).flatMap((app) =>
  Object.keys(framings).flatMap((framing) => Object.keys(bodies).map((body) => ({ app, framing, body }))),
) as { app: string; framing: keyof typeof framings; body: keyof typeof bodies }[];

/** Sends a body of this size, and reads the response at the same time. */
async function upload(url: string, framing: string, bytes: number): Promise<[number | undefined, string]> {
  const length = bytes === Infinity ? 1e12 : bytes;
  const headers = { [framing]: framing === 'Content-Length' ? length : 'chunked' };
  const sent = httpRequest(url, { method: 'POST', headers });
  send(sent, bytes);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const body = await text(response);
  sent.destroy();
  return [response.statusCode, body];
}

function send(sent: ClientRequest, bytes: number): void {
  const chunk = Buffer.alloc(Math.min(bytes, 50_000));
  let hasRoom = true;
  for (; bytes > 0 && hasRoom && !sent.destroyed; bytes -= chunk.length) hasRoom = sent.write(chunk);
  if (bytes > 0) sent.once('drain', () => send(sent, bytes));
  else sent.end();
}

test.each(cases)('an early answer is passed on: $body $framing, the app $app', async ({ app, framing, body }) => {
  const { url } = await open({ 'records-api': await serve(apps[app]!) });
  for (let batch = 0; batch < 2; batch += 1) {
    const uploads = Array.from({ length: 2 }, () => upload(url, framings[framing], bodies[body]));
    expect(await Promise.all(uploads)).toEqual(Array.from({ length: 2 }, () => [413, 'too large']));
  }
});

test('a chunked body leaves the connection to the app open for the next request', async () => {
  const target = await serve((request, response) => request.resume().once('end', () => response.end('read')));
  let connections = 0;
  target.server.on('connection', () => (connections += 1));
  const { url } = await open({ 'records-api': target });
  for (let count = 0; count < 3; count += 1)
    expect(await upload(url, 'Transfer-Encoding', 200_000)).toEqual([200, 'read']);
  expect(connections).toBe(1);
});

test.each(['keep-alive', 'close'])('an early answer arrives at once (connection: %s)', async (connection) => {
  const target = await serve((_, response) => response.writeHead(401, { 'Content-Length': 2 }).end('no'));
  const { url } = await open({ 'records-api': target });
  const sent = httpRequest(url, { method: 'POST', headers: { connection, 'content-length': 100 } });
  sent.write('the beginning');
  const startedAt = performance.now();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  expect([response.statusCode, await text(response)]).toEqual([401, 'no']);
  // Without an early answer, the response would come after 29 s, the gateway's time limit for receiving a request.
  expect(performance.now() - startedAt).toBeLessThan(20_000);
  sent.destroy();
});

test('a client that reads only after it has sent its whole body gets the early answer', async () => {
  const { url } = await open({ 'records-api': await serve(apps['closes the connection']!) });
  const body = 'x'.repeat(8_000_000);
  const head = `POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`;
  expect(await exchange(url, head + body)).toMatch(/^HTTP\/1.1 413 [\s\S]*too large/);
});

test('a request after an early answer on the same connection is served', async () => {
  const target = await serve((request, response) => response.end(`answer to ${request.method}`));
  const { url } = await open({ 'records-api': target });
  const body = 'x'.repeat(500_000);
  const first = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const responses = await exchange(url, `${first}GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  expect(responses.match(/answer to (POST|GET)/g)).toEqual(['answer to POST', 'answer to GET']);
});

test('a request without a body reaches the app without one', async () => {
  const target = await serve((request, response) => response.end(JSON.stringify(request.headers)));
  const { url } = await open({ 'records-api': target });
  const response = await exchange(url, 'POST / HTTP/1.1\r\nHost: x\r\nConnection: close, TE\r\nTE: trailers\r\n\r\n');
  expect(response).toContain('{"host":"x","x-forwarded-for":"127.0.0.1"}');
});

test('a client of HTTP/1.0 needs no Host', async () => {
  const { url } = await open({ 'records-api': await serve((_, response) => response.end('served')) });
  expect(await exchange(url, 'GET / HTTP/1.0\r\n\r\n')).toContain('served');
});
