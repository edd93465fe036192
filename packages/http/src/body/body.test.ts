import { strictEqual } from 'node:assert';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { until } from '@relata/testing';
import express from 'express';
import { afterAll, afterEach, expect, test } from 'vitest';
import { bodyReader } from './body.ts';
import { ByteBudget } from '../limits/byte-budget.ts';

/** 4,800 bytes for all bodies together. A single trigger gets 1,200, and no body is larger than 600. */
const budget = new ByteBudget(4_800, { beginning: 0 });
const read = bodyReader({ bytesMax: 600 });
const app = express();
const waiting: (() => void)[] = [];
app.post('/:organization/:trigger', async (request, response) => {
  const { organization, trigger } = request.params;
  try {
    using held = budget.hold([organization, trigger]);
    const body = await read(request, response, held);
    if (request.headers['x-hold']) await new Promise<void>((resolve) => waiting.push(resolve));
    response.end(String(body.length));
  } catch (error) {
    response.status(500).end((error as Error).name);
  }
});
const server = createServer(app).listen(0, '127.0.0.1');
afterAll(() => server.close());
afterEach(() => until(() => strictEqual(budget.held, 0)));

interface Sent {
  to?: string;
  headers?: Record<string, string>;
  isChunked?: boolean;
}

async function send(bytes: number, { to = 'acme/form', headers = {}, isChunked = false }: Sent = {}) {
  const body = Buffer.alloc(bytes, 'x');
  const packed = new Uint8Array(headers['content-encoding'] ? gzipSync(body) : body);
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/${to}`, {
    method: 'POST',
    headers,
    body: isChunked ? new Blob([packed]).stream() : packed,
    ...(isChunked && { duplex: 'half' }),
  });
  return response.text();
}

const gzip = { 'content-encoding': 'gzip' };
const hold = { 'x-hold': '1' };

test.each([
  ['declared', {}],
  ['in pieces', { isChunked: true }],
  ['packed', { headers: gzip }],
])('refuses a sender over its share, but no other: %s', async (_how, how: Sent) => {
  const held = [send(600, { headers: hold }), send(600, { headers: hold })];
  await expect.poll(() => waiting.length).toBe(2);
  for (let i = 0; i < 20; i++) expect(await send(400, how)).toBe('QueueFullError');
  expect(await send(200, { ...how, to: 'acme/other' })).toBe('200');
  expect(await send(500, { ...how, to: 'globex/form' })).toBe('500');
  while (waiting.length > 0) waiting.pop()!();
  expect(await Promise.all(held)).toEqual(['600', '600']);
  expect(await send(600, how)).toBe('600');
});

test('a body that is too large or broken releases its bytes', async () => {
  for (let i = 0; i < 20; i++) {
    expect(await send(601)).toBe('AppError');
    expect(await send(601, { isChunked: true })).toBe('AppError');
    expect(await send(601, { headers: gzip })).toBe('AppError');
    expect(await send(601, { headers: { 'content-encoding': 'br' } })).toBe('AppError');
  }
});

test('a body that is cut off releases its bytes', async () => {
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  socket.write('POST /acme/form HTTP/1.1\r\nHost: x\r\nContent-Length: 600\r\n\r\nhalf');
  await until(() => expect(budget.held).toBe(600));
  socket.destroy();
  await until(() => expect(budget.held).toBe(0));
});

test('a compressed body counts with its unpacked size, during unpacking and afterwards', async () => {
  const held = send(300, { headers: { ...gzip, ...hold } });
  await expect.poll(() => waiting.length).toBe(1);
  expect(budget.held).toBe(300);
  waiting.pop()!();
  expect(await held).toBe('300');
});
