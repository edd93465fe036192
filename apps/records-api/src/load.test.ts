import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { apiClient, until } from '@relata/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from './records-api.harness.ts';

let api: TestApi;
beforeAll(async () => void (api = await startTestApi()));
afterAll(() => api[Symbol.asyncDispose]());

const path = '/v1/activities/custom';

/** Opens a connection to the API that does not read until it is resumed. */
async function open() {
  const { hostname, port } = new URL(api.url);
  const socket: Socket = connect(Number(port), hostname).on('error', () => undefined);
  await once(socket, 'connect');
  return { socket: socket.pause(), [Symbol.dispose]: () => socket.destroy() };
}

describe('large bodies', () => {
  const body = `{"content":"Called.","tags":["${'x'.repeat(100)}"]${' '.repeat(1_048_432)}}`;
  const post = (key: string) => apiClient(api.url, key)('POST', path, { body });

  /** Sends a POST with a body of 1 MB except its last byte, and collects the response. */
  async function unfinishedPost() {
    const opened = await open();
    let response = '';
    opened.socket
      .resume()
      .setEncoding('latin1')
      .on('data', (text: string) => (response += text));
    const head = [`POST ${path} HTTP/1.1`, 'Host: x', `X-Api-Key: ${api.tenant.key}`, 'Content-Type: application/json'];
    opened.socket.write([...head, `Content-Length: ${body.length}`, '', body.slice(0, -1)].join('\r\n'));
    return { ...opened, response: () => response };
  }

  test('large bodies beyond the share of a key are refused before they are read, and other keys have room', async () => {
    using stack = new DisposableStack();
    const posts = await Promise.all(Array.from({ length: 64 }, unfinishedPost));
    for (const each of posts) stack.use(each);
    const isRefused = ({ response }: (typeof posts)[number]) => /^HTTP\/1.1 503 .*Retry-After: 1\r/s.test(response());
    await until(() => expect(posts.filter(isRefused)).toHaveLength(56));
    const otherKey = await api.keyWith(['activities:write']);
    for (const key of [otherKey, api.other.key]) {
      const responses = await Promise.all([post(key), post(key), post(key)]);
      expect(responses.map(({ status }) => status)).toEqual([201, 201, 201]);
    }
    expect((await post(api.tenant.key)).status).toBe(503);
    for (const { socket } of posts) socket.destroy();
    await until(async () => expect((await post(api.tenant.key)).status).toBe(201));
  });

  test('large bodies release their bytes, however they end', async () => {
    const { client, key } = api.tenant;
    const endings: [number, () => Promise<{ status: number }>][] = [
      [201, () => post(key)],
      [400, () => client('POST', path, { body: `{"nonsense":"${'x'.repeat(1_000_000)}"}` })],
      [400, () => client('POST', path, { body: 'x'.repeat(1_048_576) })],
      [413, () => client('POST', path, { body: 'x'.repeat(1_048_577) })],
      [404, () => client('PATCH', `/v1/records/accounts/${api.tenant.orgId}`, { body: `{}${' '.repeat(1_048_500)}` })],
    ];
    for (const [status, send] of endings) for (let i = 0; i < 12; i++) expect((await send()).status).toBe(status);
  });
});

describe('large records', () => {
  interface Shown {
    data: { id: string }[];
    total: number;
    limit: number;
    offset: number;
    has_more: boolean;
  }

  /** Reads a whole list as documented, by adding the length of each page to the offset. */
  async function walk(list: string): Promise<Shown[]> {
    const pages: Shown[] = [];
    for (let offset = 0, hasMore = true; hasMore;) {
      const { status, body, text } = await api.other.client('GET', `${list}?limit=100&offset=${offset}`);
      expect(status).toBe(200);
      expect(text.length).toBeLessThan(2_000_000);
      expect(body).toMatchObject({ limit: 100, offset, has_more: offset + body.data.length < body.total });
      expect(body.data.length).toBeGreaterThan(0);
      offset += body.data.length;
      hasMore = body.has_more;
      pages.push(body);
    }
    return pages;
  }

  test.each([
    [path, { content: 'é'.repeat(90_000), tags: Array.from({ length: 100 }, () => '🙂'.repeat(100)) }],
    [
      '/v1/records/contacts',
      { first_name: 'x', last_name: 'y', tags: Array.from({ length: 100 }, (_, i) => `${i}${'🙂'.repeat(90)}`) },
    ],
  ])('large records come in pages of about 1 MB, each once and in order: %s', async (list, fields: object) => {
    const count = Math.ceil(2_500_000 / Buffer.byteLength(JSON.stringify(fields)));
    const before = (await api.other.client('GET', `${list}?limit=1`)).body.total;
    for (let i = 0; i < count; i++) expect((await api.other.client('POST', list, { body: fields })).status).toBe(201);
    for (let round = 0; round < 2; round++) {
      const pages = await walk(list);
      const ids = pages.flatMap(({ data }) => data.map(({ id }) => id));
      expect(new Set(ids).size).toBe(before + count);
      expect(ids.toSorted()).toEqual(ids);
      expect(pages.length).toBeGreaterThan(1);
      expect(pages.length).toBeLessThan(6);
    }
  });

  test('a key with too many unread responses is refused, and other keys are served', async () => {
    const list = `${path}?limit=100`;
    using stack = new DisposableStack();
    const readers = await Promise.all(Array.from({ length: 30 }, open));
    const lines: string[] = [];
    const kept = readers.map((each) => {
      const { socket } = stack.use(each);
      const reading = createInterface({ input: socket }).on('line', (line) =>
        lines.push(...(line.match(/HTTP.1.1 .*$|^Retry-After.*/) ?? [])),
      );
      reading.pause();
      socket.write(`GET ${list} HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${api.other.key}\r\n\r\n`.repeat(10));
      return reading;
    });
    const starting = (start: string) => lines.filter((line) => line.startsWith(start));
    const second = await api.keyWith(['records:read']);
    for (const other of [second, api.tenant.key, second, api.tenant.key])
      expect((await apiClient(api.url, other)('GET', list)).status).toBe(200);
    for (const reading of kept) reading.resume();
    await until(() => {
      expect(starting('HTTP')).toHaveLength(300);
      expect(starting('Retry-After: 1')).toHaveLength(starting('HTTP/1.1 503').length);
    });
    expect(new Set(starting('HTTP').map((line) => line.slice(0, 12)))).toEqual(
      new Set(['HTTP/1.1 200', 'HTTP/1.1 503']),
    );
    await until(async () => expect((await api.other.client('GET', list)).status).toBe(200));
  });
});
