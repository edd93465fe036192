import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ExportedSpan, makeAuthority, startTraceCollector, until } from '@relata/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { startTelemetry, tracing } from './start-telemetry.ts';
import { readTraceparent, writeTraceparent } from './trace.ts';
import type { Tracing } from './tracing.ts';

afterEach(() => vi.unstubAllEnvs());

/** Returns the exported spans that `work` begins. `work` receives the spans that have arrived so far. */
async function exported(
  work: (on: Tracing, arrived: readonly ExportedSpan[]) => unknown,
  tls?: Parameters<typeof startTraceCollector>[0],
) {
  await using collector = await startTraceCollector(tls);
  const telemetry = await startTelemetry({
    endpoint: collector.url,
    service: { name: 'test', version: '0.0.0' },
    sampler: { name: 'parentbased_always_on', ratio: 1 },
    continuesTraces: false,
    onProblem: () => undefined,
  });
  await work(tracing!, collector.spans);
  await telemetry[Symbol.asyncDispose]();
  return collector.spans;
}

test('spans beyond the maximum number of waiting spans are dropped', async () => {
  // The waiting spans and a batch in flight.
  const kept = 2_048 + 512;
  const spans = await exported(async (on, arrived) => {
    for (let i = 0; i < 20_000; i++) on.begin('one').end();
    // Full batches are sent at once. Disposing of the telemetry would wait only briefly for them.
    await until(() => expect(arrived.length).toBeGreaterThanOrEqual(kept));
  });
  expect(spans).toHaveLength(kept);
});

test('a span has at most 1,000 children and counts the omitted ones', async () => {
  const spans = await exported((on) =>
    on.span('all', {}, () => {
      for (let i = 0; i < 1_500; i++) on.child('one', {}, () => undefined);
    }),
  );
  expect(spans.filter(({ name }) => name === 'one')).toHaveLength(1_000);
  expect(spans.find(({ name }) => name === 'all')!.attributes).toEqual({ 'relata.spans.omitted': 500 });
});

test('work that outlives its span has no parent', async () => {
  let later: Promise<unknown> | undefined;
  const ended = Promise.withResolvers<void>();
  const spans = await exported(async (on) => {
    await on.span('request', {}, async () => {
      later = ended.promise.then(() => [on.active(), on.child('late', {}, () => 'done')]);
      expect(on.active()).toBeDefined();
    });
    ended.resolve();
    expect(await later).toEqual([undefined, 'done']);
  });
  expect(spans.map(({ name }) => name)).toEqual(['request']);
});

test('a span keeps the code of an error, never its message', async () => {
  const thrown = Object.assign(new Error('Key (email)=(a@b.c) already exists.'), { code: '23505' });
  const spans = await exported(async (on) => {
    await expect(on.span('statement', {}, () => Promise.reject(thrown))).rejects.toBe(thrown);
  });
  expect(spans).toMatchObject([{ isError: true, attributes: { 'error.type': '23505' } }]);
  expect(JSON.stringify(spans)).not.toContain('a@b.c');
});

test('spans are sent to a collector whose certificate is signed by the one in OTEL_EXPORTER_OTLP_CERTIFICATE', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'relata-traces-'));
  const file = join(folder.path, 'authority.pem');
  const authority = makeAuthority('Traces');
  await writeFile(file, authority.certificate);
  vi.stubEnv('OTEL_EXPORTER_OTLP_CERTIFICATE', file);
  const spans = await exported((on) => on.span('one', {}, async () => undefined), authority.issue('127.0.0.1'));
  expect(spans.map(({ name }) => name)).toEqual(['one']);
});

const [traceId, spanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];

test('a written traceparent can be read again', () => {
  for (const isSampled of [true, false])
    expect(readTraceparent(writeTraceparent({ traceId, spanId, isSampled }))).toEqual({ traceId, spanId, isSampled });
});

test.each([
  undefined,
  null,
  '',
  'nonsense',
  `01-${traceId}-${spanId}-01`,
  `00-${traceId}-${spanId}-01-more`,
  `00-${'0'.repeat(32)}-${spanId}-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${traceId}-${spanId}`,
])('%j is not a traceparent', (text) => {
  expect(readTraceparent(text)).toBeUndefined();
});
