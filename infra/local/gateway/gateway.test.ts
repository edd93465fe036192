import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import { allAway, exchange, open, serve } from './gateway.harness.ts';
import { openGateway } from './gateway.ts';

test.each([
  ['/webhooks/abc', 'webhook-ingest'],
  ['/v1/genie/chat', 'chat-gateway'],
  ['/v1/records/accounts?limit=5', 'records-api'],
  ['/', 'records-api'],
  ['/webhooks', 'records-api'],
  ['/v1/genie%2Fchat', 'records-api'],
])('a request for %s goes to %s', async (path, app) => {
  const names = ['records-api', 'chat-gateway', 'webhook-ingest'] as const;
  const urls = await Promise.all(names.map((name) => serve((_, response) => response.end(name))));
  const { url } = await open(Object.fromEntries(names.map((name, index) => [name, urls[index]])));
  expect(await (await fetch(url + path)).text()).toBe(app);
});

test('path and query arrive byte for byte', async () => {
  const target = await serve((request, response) => response.end(Buffer.from(request.url ?? '', 'latin1')));
  const { url } = await open({ 'records-api': target });
  const path = `//a/../%2e%2e/%00%ff/"<>{}|^\`;x?q=%zz&q=+%20?/\\`;
  const response = await exchange(url, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  expect(response).toContain(path);
});

test('the app sees the host as sent and the client as the last forwarded address', async () => {
  const target = await serve((request, response) => response.end(JSON.stringify(request.headers)));
  const { url } = await open({ 'records-api': target });
  const response = await exchange(
    url,
    'GET / HTTP/1.1\r\nHost: crm.example:99\r\nX-Forwarded-For: 9.9.9.9\r\nConnection: close\r\n\r\n',
  );
  expect(response).toContain('"host":"crm.example:99"');
  expect(response).toContain('"x-forwarded-for":"9.9.9.9, 127.0.0.1"');
});

test('the answer keeps the names, order and repetitions of its headers, and the gateway adds none', async () => {
  const target = await serve((_, response) => {
    response.sendDate = false;
    response.writeHead(207, 'Odd Text', [
      'X-One',
      'a',
      'Set-Cookie',
      'b=1',
      'x-one',
      'c',
      'Set-Cookie',
      'd=2',
      'Content-Length',
      '2',
    ]);
    response.end('ok');
  });
  const { url } = await open({ 'records-api': target });
  const response = await exchange(url, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  expect(response).toBe(
    'HTTP/1.1 207 Odd Text\r\nX-One: a\r\nSet-Cookie: b=1\r\nx-one: c\r\nSet-Cookie: d=2\r\n' +
      'Content-Length: 2\r\nConnection: close\r\n\r\nok',
  );
});

test('events arrive one by one while the stream is open', async () => {
  const opened = Promise.withResolvers<void>();
  let send: (event: string) => void = () => {};
  const target = await serve((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
    send = (event) => response.write(`data: ${event}\n\n`);
    opened.resolve();
  });
  const { url } = await open({ 'chat-gateway': target });
  const response = await fetch(`${url}/v1/genie/chat`);
  await opened.promise;
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (const event of ['one', 'two']) {
    send(event);
    expect((await reader.read()).value).toBe(`data: ${event}\n\n`);
  }
  await reader.cancel();
});

test('the connection to the app is closed when the visitor leaves', async () => {
  const left = Promise.withResolvers<string>();
  const target = await serve((_, response) => {
    response.write('data: hello\n\n');
    response.once('close', () => left.resolve('the visitor has left'));
  });
  const { url } = await open({ 'chat-gateway': target });
  const visit = new AbortController();
  await fetch(`${url}/v1/genie/chat`, { signal: visit.signal });
  visit.abort();
  expect(await left.promise).toBe('the visitor has left');
});

test.each(['keep-alive', 'close'])(
  'an early answer reaches a client that is still sending (connection: %s)',
  async (connection) => {
    const target = await serve((_, response) => response.writeHead(413).end('too large'));
    const { url } = await open({ 'webhook-ingest': target });
    const body = Buffer.alloc(20_000_000);
    const sent = httpRequest(`${url}/webhooks/1`, {
      method: 'POST',
      headers: { connection, 'content-length': body.length },
    });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    expect([response.statusCode, await text(response)]).toEqual([413, 'too large']);
    sent.destroy();
  },
);

test('large bodies pass in both directions', async () => {
  const target = await serve((request, response) => request.pipe(response));
  const { url } = await open({ 'records-api': target });
  const body = Buffer.alloc(5_000_000, 'relata');
  const response = await fetch(url, { method: 'POST', body });
  expect(Buffer.from(await response.arrayBuffer()).equals(body)).toBe(true);
});

test('a request to an app that cannot be reached is answered with 503 in the format of the API', async () => {
  const { url } = await open({});
  const response = await fetch(`${url}/v1/self`, { headers: { 'X-Request-Id': 'mine-1' } });
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toBe('1');
  expect(response.headers.get('x-request-id')).toBe('mine-1');
  expect(await response.json()).toEqual({
    error: 'service_unavailable',
    message: expect.any(String) as string,
    doc_url: '/docs/errors#service_unavailable',
    request_id: 'mine-1',
  });
});

test('a request to a receiver that cannot be reached is answered with 503 in the format of its own errors', async () => {
  const { url } = await open({});
  const response = await fetch(`${url}/webhooks/1`, { method: 'POST', body: Buffer.alloc(3_000_000) });
  expect(response.status).toBe(503);
  expect(await response.json()).toEqual({ error: 'service unavailable, try again later' });
});

test('a read on a connection that the app was closing is repeated once', async () => {
  let requests = 0;
  const target = await serve((request, response) => {
    requests += 1;
    if (requests % 2 === 1) request.socket.destroy();
    else response.end('again');
  });
  const { url } = await open({ 'records-api': target });
  expect(await (await fetch(url)).text()).toBe('again');
  expect(requests).toBe(2);
});

test('a write that the app may have performed is neither repeated nor answered with 503', async () => {
  let requests = 0;
  const target = await serve((request) => {
    requests += 1;
    request.resume().once('end', () => request.socket.destroy());
  });
  const { url } = await open({ 'records-api': target });
  await expect(fetch(url, { method: 'POST', body: '{}' })).rejects.toThrow('fetch failed');
  expect(requests).toBe(1);
});

test('a write that the app cannot have read completely is answered with 503', async () => {
  const target = await serve((request) => void request.socket.destroy());
  const { url } = await open({ 'records-api': target });
  const sent = httpRequest(url, { method: 'POST', headers: { 'content-length': 1_000 } });
  sent.write('the beginning');
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(503);
  sent.destroy();
});

test('if the app breaks off an answer, the gateway breaks it off for the client, too', async () => {
  const target = await serve((_, response) => {
    response.writeHead(200, { 'Content-Length': 100 }).write('half');
    setImmediate(() => response.destroy());
  });
  const { url } = await open({ 'records-api': target });
  await expect(fetch(url).then((response) => response.text())).rejects.toThrow('terminated');
});

test('the error for a port in use names the port and suggests another', async () => {
  const { url } = await open({});
  const port = Number(new URL(url).port);
  const text = `Port ${port} is taken. Stop the program using it, or choose another: PORT=${port + 1}`;
  await expect(openGateway({ port, targets: allAway })).rejects.toThrow(text);
});

test('closing lets an answer finish within the grace period, and accepts no new connection', async () => {
  const held = vi.fn<RequestListener>();
  const gateway = await open({ 'records-api': await serve(held) });
  const response = fetch(gateway.url);
  await vi.waitFor(() => expect(held).toHaveBeenCalled(), { timeout: 60_000 });
  gateway.refuse();
  const closed = gateway.close(60_000);
  await expect(fetch(gateway.url)).rejects.toThrow('fetch failed');
  held.mock.calls[0]?.[1].end('done');
  expect(await (await response).text()).toBe('done');
  await closed;
});
