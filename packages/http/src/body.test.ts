import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import express from 'express';
import { afterAll, expect, test } from 'vitest';
import { bodyReader } from './body.ts';
import { ByteBudget } from './byte-budget.ts';

/** 1,000 bytes for all bodies together, none larger than 600. */
const budget = new ByteBudget(1_000);
const read = bodyReader({ bytesMax: 600, budget });
const app = express();
const waiting: (() => void)[] = [];
app.post('/', async (request, response) => {
  try {
    const body = await read(request, response);
    const end = () => {
      budget.giveBack(body.length);
      response.end(String(body.length));
    };
    if (request.headers['x-hold']) waiting.push(end);
    else end();
  } catch (error) {
    response.status(500).end((error as Error).name);
  }
});
const server = createServer(app).listen(0, '127.0.0.1');
afterAll(() => server.close());

const send = async (bytes: number, headers: Record<string, string> = {}) => {
  const body = Buffer.alloc(bytes, 'x');
  const packed = headers['content-encoding'] ? gzipSync(body) : body;
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: new Uint8Array(packed) });
  return response.text();
};

test('bodies together never take more than the budget, and give it back however they end', async () => {
  const held = send(600, { 'x-hold': '1' });
  await expect.poll(() => waiting.length).toBe(1);
  for (let i = 0; i < 20; i++) expect(await send(600)).toBe('QueueFullError');
  for (const headers of [{}, { 'content-encoding': 'gzip' }] as Record<string, string>[])
    expect(await send(601, headers)).toMatch(/AppError|QueueFullError/);
  expect(await send(400)).toBe('400');
  waiting.pop()!();
  expect(await held).toBe('600');
  expect(await Promise.all([send(500), send(500)])).toEqual(['500', '500']);
  expect(await send(600, { 'content-encoding': 'gzip' })).toBe('600');
  budget.take(1_000);
});
