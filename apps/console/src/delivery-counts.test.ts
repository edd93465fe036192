import { createOrganization } from '@relata/auth';
import { newId } from '@relata/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Browser, joinAs } from './console-client.harness.ts';
import { startTestConsole, type TestConsole } from './console.harness.ts';
import { Examples } from './examples.harness.ts';
import { spansOf } from './handlers/delivery-spans.ts';

const hourMs = 3_600_000;

let served: TestConsole;
let acme: Examples;
let viewer: Browser;

beforeAll(async () => {
  served = await startTestConsole();
  acme = new Examples(served.db, (await createOrganization(served.db.database, 'Acme')).id);
  viewer = new Browser(served.url, await joinAs(served.db, acme.orgId, 'viewer', 'vera@acme.example'));
});
afterAll(() => served[Symbol.asyncDispose]());

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
