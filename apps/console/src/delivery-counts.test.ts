import { newId } from '@relata/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startViewedConsole, type ViewedConsole } from './viewed-console.harness.ts';
import { timeSpans } from './handlers/delivery-spans.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

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

test('a time span is counted in consecutive parts, for all triggers or for one', async () => {
  const [one, other] = [await acme.emptyTrigger('One'), await acme.emptyTrigger('Other')];
  await acme.deliveriesBefore(one, [3, 0, 2]);
  await acme.deliveriesBefore(other, [4]);
  const from = new Date(Date.now() - 6 * hourMs).toISOString();
  const parts = await counts({ from });
  expect(sumOf(parts)).toBe(9);
  // Deliveries are counted per whole minute.
  expect(Date.parse(parts[0]!.from)).toBe(Math.floor(Date.parse(from) / minuteMs) * minuteMs);
  for (const [at, part] of parts.slice(1).entries()) expect(part.from).toBe(parts[at]!.to);
  expect(sumOf(await counts({ from, trigger: one }))).toBe(5);
  expect(sumOf(await counts({ from, trigger: newId() }))).toBe(0);
  expect(sumOf(await counts({ from, to: new Date(Date.now() - 2.5 * hourMs).toISOString() }))).toBe(2);
});

test('counts a span that begins before the first possible id, and one that ends long after now', async () => {
  const parts = await counts({ from: '0001-01-01T00:00:00Z', to: '9999-12-31T23:59:59Z' });
  expect([parts[0]!.from, parts.at(-1)!.to]).toEqual(['0001-01-01T00:00:00.000Z', '+010000-01-01T00:00:00.000Z']);
});

test('a span of any length has at most 32 parts, all within it', () => {
  const to = Date.now();
  for (let spanMs = 1; spanMs < 100 * 365 * 24 * hourMs; spanMs = Math.ceil(spanMs * 1.5)) {
    const spans = timeSpans(to - spanMs, to);
    expect(spans.length, `${spanMs} ms`).toBeLessThanOrEqual(32);
    const ends = [Math.floor((to - spanMs) / minuteMs) * minuteMs, Math.ceil(to / minuteMs) * minuteMs];
    expect([spans[0]!.from, spans.at(-1)!.to]).toEqual(ends);
    for (const { from, to: end } of spans) expect(end).toBeGreaterThan(from);
  }
  expect(timeSpans(to, to - 1)).toEqual([]);
});

test.each([
  // Time spans in which clocks are set back (October) or forward (March).
  ['Europe/Zurich', '2026-10-20T10:00:00Z', '2026-10-31T10:00:00Z'],
  ['America/New_York', '2026-03-01T10:00:00Z', '2026-03-12T10:00:00Z'],
  ['Asia/Kolkata', '2026-06-01T10:00:00Z', '2026-06-05T10:00:00Z'],
  // This time zone skipped 30 December 2011.
  ['Pacific/Apia', '2011-12-25T10:00:00Z', '2012-01-05T10:00:00Z'],
])('parts of six hours or more begin at 0, 6, 12 or 18 h of the local time in %s', (zone, from, to) => {
  const spans = timeSpans(Date.parse(from), Date.parse(to), zone);
  expect(spans.length).toBeLessThanOrEqual(32);
  const starts = spans.slice(1).map((span) => hourIn(zone, span.from));
  expect(starts).toContain('00:00');
  expect(starts.filter((start) => !/^(00|06|12|18):00$/.test(start))).toEqual([]);
  for (const [at, span] of spans.slice(1).entries()) expect(span.from).toBe(spans[at]!.to);
  for (const span of spans) expect(span.to).toBeGreaterThan(span.from);
});

test('an hour that clocks show twice is counted as two hours, and in zones with half-hour offsets parts begin on the local hour', () => {
  const night = timeSpans(Date.parse('2026-10-24T22:00:00Z'), Date.parse('2026-10-25T06:00:00Z'), 'Europe/Zurich');
  expect(new Set(night.map(({ from, to }) => to - from))).toEqual(new Set([30 * 60_000]));
  const day = timeSpans(Date.parse('2026-10-24T12:00:00Z'), Date.parse('2026-10-25T12:00:00Z'), 'Asia/Kolkata');
  expect(new Set(day.slice(1).map(({ from }) => hourIn('Asia/Kolkata', from).slice(3)))).toEqual(new Set(['00']));
});

test('parts follow the requested zone, and an unknown zone is refused', async () => {
  const range = { from: '2026-06-01T10:00:00Z', to: '2026-06-11T10:00:00Z' };
  const starts = async (zone?: string) => (await counts({ ...range, ...(zone && { zone }) })).map(({ from }) => from);
  expect((await starts())[1]).toBe('2026-06-01T12:00:00.000Z');
  expect((await starts('America/New_York'))[1]).toBe('2026-06-01T16:00:00.000Z');
  const path = `/orgs/${acme.orgId}/deliveries/counts?zone=Mars/Olympus`;
  expect((await viewer.get(path)).status).toBe(400);
});

/** Returns the local time in a zone. */
const hourIn = (timeZone: string, at: number) =>
  new Date(at).toLocaleTimeString('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' });
