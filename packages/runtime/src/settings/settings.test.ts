import { expect, test } from 'vitest';
import { z } from 'zod';
import { databaseSettings, parseDurationMs, rateLimitSetting, readSettings, serviceSettings } from './settings.ts';
import { telemetrySettings } from './telemetry.settings.ts';
import { integerSetting } from './integer-setting.ts';

test('all problems of the settings are reported together', () => {
  const read = () => readSettings({ ...serviceSettings, ...databaseSettings }, { PORT: '70000', LOG_LEVEL: 'loud' });
  expect(read).toThrow(/PORT: .*\n {2}LOG_LEVEL: .*\n {2}DATABASE_URL: is required\./);
});

test('an empty variable counts as unset', () => {
  expect(readSettings({ NAME: z.string().default('x') }, { NAME: '' })).toEqual({ NAME: 'x' });
});

test.each([' ', '\n', '0x1e', '3e1', '30 days', '1.0'])('refuses %j as a number', (text) => {
  expect(() => readSettings({ DAYS: integerSetting(0, 3_650, 30, '') }, { DAYS: text })).toThrow(
    'DAYS: must be a whole number.',
  );
});

test.each([' ', '0x1388', '5e3', '1.0'])('refuses %j as the time limit of the collector', (text) => {
  expect(() => readSettings(telemetrySettings, { OTEL_EXPORTER_OTLP_TIMEOUT: text })).toThrow(
    'OTEL_EXPORTER_OTLP_TIMEOUT: must be a whole number.',
  );
});

test.each([' ', '0x1', '5e-1', '-0', '.', '50%'])('refuses %j as the fraction of traces to keep', (text) => {
  expect(() => readSettings(telemetrySettings, { OTEL_TRACES_SAMPLER_ARG: text })).toThrow(
    'OTEL_TRACES_SAMPLER_ARG: must be a number from 0 to 1, such as 0.05.',
  );
});

test('the fraction of traces to keep is at most 1', () => {
  const read = (text: string) => readSettings(telemetrySettings, { OTEL_TRACES_SAMPLER_ARG: text });
  for (const [text, ratio] of [
    ['0', 0],
    ['0.05', 0.05],
    ['1', 1],
    ['1.00', 1],
  ] as const)
    expect(read(text).OTEL_TRACES_SAMPLER_ARG).toBe(ratio);
  for (const text of ['1.01', '2']) expect(() => read(text)).toThrow('OTEL_TRACES_SAMPLER_ARG');
});

test('white space around a number is ignored', () => {
  expect(readSettings({ DAYS: integerSetting(0, 3_650, 30, '') }, { DAYS: ' 7\n' })).toEqual({ DAYS: 7 });
});

test('an error does not repeat the value, which may be a secret', () => {
  expect(() => readSettings(databaseSettings, { DATABASE_URL: 'mysql://user:hunter2@host' })).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
  );
});

test.each([
  ['6000/1m', { points: 6_000, windowMs: 60_000 }],
  ['5/250ms', { points: 5, windowMs: 250 }],
  ['off', null],
  [undefined, { points: 1, windowMs: 1_000 }],
])('reads the rate limit %s', (text, limit) => {
  expect(readSettings({ LIMIT: rateLimitSetting('1/1s', '') }, { LIMIT: text }).LIMIT).toEqual(limit);
});

test.each(['0/1m', '-1/1m', '1', '1/0s', 'x/1m', '1/1', '1/1w', '1/1m/x', ' '])(
  'refuses %s as a rate limit',
  (text) => {
    expect(() => readSettings({ LIMIT: rateLimitSetting('1/1s', '') }, { LIMIT: text })).toThrow(
      'must be like 6000/1m, or off.',
    );
  },
);

test('refuses a window that is too long for a timer, and names the longest', () => {
  const read = (text: string) => readSettings({ LIMIT: rateLimitSetting('1/1s', '') }, { LIMIT: text });
  expect(read('1/24d').LIMIT).toEqual({ points: 1, windowMs: 2_073_600_000 });
  for (const text of ['1/25d', '1/999999999d']) expect(() => read(text)).toThrow('must have a window of at most 24d.');
});

test.each([
  ['250ms', 250],
  ['7d', 604_800_000],
  ['31536000000ms', 31_536_000_000],
  ['100000000000ms', undefined],
  ['1', undefined],
  ['1.5h', undefined],
])('%s is %s ms', (text, ms) => expect(parseDurationMs(text)).toBe(ms));
