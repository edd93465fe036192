import { expect, test } from 'vitest';
import { outboundWith, serve, serveRaw } from './outbound.harness.ts';

const ask = outboundWith('127.0.0.1');

/** Expects a request to a server that never completes its response to fail with `timeout`. */
async function expectLate(sending: Promise<unknown>): Promise<void> {
  const began = performance.now();
  await expect(sending).rejects.toMatchObject({ code: 'timeout', isRetryable: true });
  expect(performance.now() - began).toBeLessThan(40_000);
}

test('a server that never answers fails with timeout', async () => {
  const stranger = await serveRaw(() => {});
  await expectLate(ask(stranger.url, { timeoutMs: 100 }));
});

test('a TLS handshake that is never completed fails with timeout', async () => {
  const stranger = await serveRaw(() => {});
  await expectLate(ask(stranger.url.replace('http:', 'https:'), { timeoutMs: 100 }));
});

test('a body that arrives in small pieces does not extend the timeout', async () => {
  const stranger = await serve((_request, response) => {
    const drip = setInterval(() => response.write('x'), 10);
    response.on('close', () => clearInterval(drip));
  });
  await expectLate(ask(stranger.url, { timeoutMs: 150 }));
});

test('headers that arrive in small pieces do not extend the timeout', async () => {
  const stranger = await serveRaw((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    const drip = setInterval(() => socket.write('x: y\r\n'), 10);
    socket.on('close', () => clearInterval(drip));
  });
  await expectLate(ask(stranger.url, { timeoutMs: 150 }));
});

test('all redirects of a request share one timeout', async () => {
  const stranger = await serve((_request, response) => {
    setTimeout(() => response.writeHead(302, { location: '/' }).end(), 60);
  });
  await expectLate(ask(stranger.url, { timeoutMs: 150 }));
});

test('a lookup that never ends fails with timeout', async () => {
  await expectLate(outboundWith('', () => new Promise(() => {}))('http://slow.example/', { timeoutMs: 50 }));
});

test.each([
  ['without any data', ''],
  ['within the head', 'HTTP/1.1 200 OK\r\nconte'],
  ['within a body of a known length', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc'],
  ['within a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab'],
  ['after bytes that are not HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'],
  [
    'after an upgrade that was not requested',
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
  ],
  ['after two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
  ['after too large a head', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`],
])('a connection that ends %s is retryable', async (_when, sent) => {
  const stranger = await serveRaw((socket) => socket.once('data', () => socket.end(sent)));
  await expect(ask(stranger.url)).rejects.toMatchObject({
    code: 'connection',
    isRetryable: true,
    message: expect.stringMatching(/^127\.0\.0\.1:\d+ could not be reached \([A-Z_]+\)\.$/),
  });
});

test('a connection to a closed port is retryable', async () => {
  await expect(ask('http://127.0.0.1:1/')).rejects.toMatchObject({ code: 'connection', isRetryable: true });
});

test('a server without TLS cannot be reached over https', async () => {
  const stranger = await serve((_request, response) => response.end());
  await expect(ask(stranger.url.replace('http:', 'https:'))).rejects.toMatchObject({ code: 'connection' });
});

test('a request ends as soon as its signal is aborted', async () => {
  const arrived = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const stranger = await serveRaw((socket) => {
    socket.once('data', () => arrived.resolve()).once('close', () => left.resolve());
  });
  const controller = new AbortController();
  const sending = ask(stranger.url, { signal: controller.signal });
  await arrived.promise;
  controller.abort();
  await expect(sending).rejects.toMatchObject({ code: 'aborted', isRetryable: true });
  await left.promise;
  await expect(ask(stranger.url, { signal: controller.signal })).rejects.toMatchObject({ code: 'aborted' });
});

test.each(['/next', 'ftp://example.com/'])(
  'a redirect to %s is followed without waiting for its body',
  async (location) => {
    const left = Promise.withResolvers<void>();
    const stranger = await serve((request, response) => {
      if (request.url === '/next') response.end();
      else response.on('close', left.resolve).writeHead(302, { location }).write('and so on');
    });
    await Promise.allSettled([ask(stranger.url)]);
    await expect(left.promise).resolves.toBeUndefined();
  },
);

test('closing the client aborts active requests, and waits for them', async () => {
  const arrived = Promise.withResolvers<void>();
  const stranger = await serveRaw((socket) => socket.once('data', () => arrived.resolve()));
  const closing = outboundWith('127.0.0.1');
  const ended: string[] = [];
  const sending = closing(stranger.url).catch(({ code }: { code: string }) => ended.push(code));
  await arrived.promise;
  await closing[Symbol.asyncDispose]();
  await sending;
  ended.push('closed');
  expect(ended).toEqual(['aborted', 'closed']);
  await expect(closing(stranger.url)).rejects.toMatchObject({ code: 'aborted' });
});
