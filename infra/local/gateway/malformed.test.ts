import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import { exchange, open, serve } from './gateway.harness.ts';

const head = 'POST / HTTP/1.1\r\nHost: x\r\n';
const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

function expectRefusal(response: string, status: number): void {
  const [headers = '', body = ''] = response.split('\r\n\r\n');
  expect(headers).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(headers).toContain('Content-Type: application/json\r\n');
  expect(headers).toContain(`Content-Length: ${Buffer.byteLength(body)}`);
  expect(headers).toContain('Connection: close');
  const [, requestId] = new RegExp(`X-Request-Id: (${uuid})`).exec(headers) ?? [];
  expect(JSON.parse(body)).toEqual({
    error: 'validation_error',
    message: expect.stringMatching(/^[A-Z].*\.$/) as string,
    doc_url: '/docs/errors#validation_error',
    request_id: requestId,
  });
}

test.each([
  ['a Content-Length that is no number', 400, `${head}Content-Length: abc\r\n\r\n`],
  ['a Content-Length with Transfer-Encoding', 400, `${head}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n`],
  ['two lengths', 400, `${head}Content-Length: 3\r\nContent-Length: 4\r\n\r\n`],
  ['no Host', 400, 'GET / HTTP/1.1\r\n\r\n'],
  ['an unknown method', 400, 'FOO / HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['no HTTP at all', 400, '\x16\x03\x01\x02\x00\x01\x00'],
  ['a header over 16 KB', 431, `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(17_000)}\r\n\r\n`],
  ['headers of 3 MB', 431, `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(3_000_000)}\r\n\r\n`],
  ['an unknown expectation', 417, `${head}Expect: miracles\r\nConnection: close\r\n\r\n`],
  ['an unknown expectation on a kept connection', 417, `${head}Expect: miracles\r\nContent-Length: 9\r\n\r\n`],
  ['a broken chunk', 400, `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
])('%s is answered with %i in the error format', async (_, status, bytes) => {
  const { url } = await open({ 'records-api': await serve(() => {}) });
  expectRefusal(await exchange(url, bytes), status);
});

test('a request that breaks off in its headers is answered with 400', async () => {
  const { url } = await open({});
  expectRefusal(await exchange(url, 'GET / HT', { isHalfClosing: true }), 400);
});

test.each(['GET / HTTP/1.1\r\nHost:', `${head}Content-Length: 5\r\n\r\nab`])(
  'a slow request is answered with 408: %j',
  async (bytes) => {
    const { url } = await open({ 'records-api': await serve(() => {}) }, 100);
    expectRefusal(await exchange(url, bytes), 408);
  },
);

test('if a request breaks off while its answer is sent, the connection closes without a second answer', async () => {
  const target = await serve((_, response) => void response.writeHead(200, { 'Content-Length': 9 }).write('half'));
  const { url } = await open({ 'records-api': target });
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
  let response = '';
  socket.on('data', (chunk) => {
    response += chunk.toString();
    if (response.includes('half')) socket.write('zz\r\n');
  });
  socket.on('error', () => {});
  await once(socket, 'close');
  expect(response.match(/HTTP\/1/g)).toHaveLength(1);
});

test('a complete request gets its answer even if invalid bytes follow it', async () => {
  const target = await serve((request, response) => {
    request.resume().once('end', () => setTimeout(() => response.end('served'), 20));
  });
  const { url } = await open({ 'records-api': target });
  const response = await exchange(url, `${head}Content-Length: 2\r\n\r\n{}and ${'more '.repeat(300_000)}`);
  expect(response).toContain('served');
  expect(response.match(/HTTP\/1/g)).toHaveLength(1);
});

test('a client that closes its side after its request gets its answer', async () => {
  const target = await serve((request, response) => {
    request.resume().once('end', () => setTimeout(() => response.end('served'), 50));
  });
  const { url } = await open({ 'records-api': target });
  const bytes = `${head}Content-Length: 2\r\n\r\n{}`;
  expect(await exchange(url, bytes, { isHalfClosing: true })).toContain('served');
  expect(await exchange(url, `${bytes}${bytes}`, { isHalfClosing: true })).toMatch(/served[\s\S]*served$/);
});

test('the gateway closes a connection that its client has closed', async () => {
  const { url } = await open({ 'records-api': await serve((_, response) => response.end('served')) });
  const accepted: Socket[] = [];
  const keep = (message: unknown) => void accepted.push((message as { socket: Socket }).socket);
  subscribe('net.server.socket', keep);
  for (const bytes of ['', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n', 'FOO', `${head}Content-Length: 5\r\n\r\nab`])
    await exchange(url, bytes, { isHalfClosing: true });
  unsubscribe('net.server.socket', keep);
  const ours = accepted.filter(({ localPort }) => localPort === Number(new URL(url).port));
  expect(accepted.length).toBeGreaterThanOrEqual(4);
  await vi.waitFor(() => expect(ours.filter(({ destroyed }) => !destroyed)).toEqual([]), { timeout: 60_000 });
});
