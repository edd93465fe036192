import { newId } from '@relata/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startViewedConsole, type ViewedConsole } from './viewed-console.harness.ts';
import { spansOf } from './handlers/delivery-spans.ts';

const hourMs = 3_600_000;

let site: ViewedConsole;
let acme: ViewedConsole['acme'];
let viewer: ViewedConsole['viewer'];

beforeAll(async () => {
  site = await startViewedConsole();
  ({ acme, viewer } = site);
});
afterAll(() => site[Symbol.asyncDispose]());

const counts = async (query: Record<string, string>) => {
  const path = `/orgs/${acme.orgId}/deliveries/counts?${new URLSearchParams(query).toString()}`;
  return (await viewer.get(path)).body.data as { from: string; to: string; deliveries: number }[];
};
const sumOf = (parts: { deliveries: number }[]) => parts.reduce((sum, { deliveries }) => sum + deliveries, 0);

test('a span of time is counted in parts that follow one another, of all triggers or of one', async () => {
  const [one, other] = [await acme.emptyTrigger('One'), await acme.emptyTrigger('Other')];
  await acme.deliveriesBefore(one, [3, 0, 2]);
  await acme.deliveriesBefore(other, [4]);
  const from = new Date(Date.now() - 6 * hourMs).toISOString();
  const parts = await counts({ from });
  expect(sumOf(parts)).toBe(9);
  expect(parts[0]!.from).toBe(from);
  for (const [at, part] of parts.slice(1).entries()) expect(part.from).toBe(parts[at]!.to);
  expect(sumOf(await counts({ from, trigger: one }))).toBe(5);
  expect(sumOf(await counts({ from, trigger: newId() }))).toBe(0);
  expect(sumOf(await counts({ from, to: new Date(Date.now() - 2.5 * hourMs).toISOString() }))).toBe(2);
});

test('a span that begins before there were ids, and one that ends long after now, are counted', async () => {
  const parts = await counts({ from: '0001-01-01T00:00:00Z', to: '9999-12-31T23:59:59Z' });
  expect([parts[0]!.from, parts.at(-1)!.to]).toEqual(['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.000Z']);
});

test('a span of any length has at most 32 parts, each of them within it', () => {
  const to = Date.now();
  for (let spanMs = 1; spanMs < 100 * 365 * 24 * hourMs; spanMs = Math.ceil(spanMs * 1.5)) {
    const spans = spansOf(to - spanMs, to);
    expect(spans.length, `${spanMs} ms`).toBeLessThanOrEqual(32);
    expect([spans[0]!.from, spans.at(-1)!.to]).toEqual([to - spanMs, to]);
    for (const { from, to: end } of spans) expect(end).toBeGreaterThan(from);
  }
  expect(spansOf(to, to - 1)).toEqual([]);
});
