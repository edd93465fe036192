import { expect, test } from 'vitest';
import { readStartOptions } from './start-options.ts';

test('without any option the port is 8080, the servers are embedded and the data is kept', () => {
  const servers = { databaseUrl: undefined, natsUrl: undefined, hasChannel: false };
  const usual = { port: 8080, isFresh: false, hasDay: true, wantsHelp: false, ...servers };
  expect(readStartOptions([], {})).toEqual(usual);
  const empty = { PORT: '', DATABASE_URL: '', NATS_URL: '', TEAM_CHANNEL_WEBHOOK_URL: '' };
  expect(readStartOptions([], empty)).toEqual(usual);
});

test("a team channel of the user's own is recognized", () => {
  expect(readStartOptions([], { TEAM_CHANNEL_WEBHOOK_URL: 'https://example.com/hook' })).toMatchObject({
    hasChannel: true,
  });
});

test('--no-demo-day leaves the day of the demo out', () => {
  expect(readStartOptions(['--no-demo-day'], {})).toMatchObject({ hasDay: false });
});

test.each(['0', '65536', '80a', '1.5', '0x1f90', '8e3', ' '])('PORT=%s is refused', (PORT) => {
  expect(() => readStartOptions([], { PORT })).toThrow('PORT must be a number');
});

test('the error of an unknown option shows the usage', () => {
  expect(() => readStartOptions(['--frsh'], {})).toThrow(/--frsh[^]*npm start -- --fresh/);
});

test('--fresh is refused if DATABASE_URL names a database', () => {
  expect(() => readStartOptions(['--fresh'], { DATABASE_URL: 'postgres://elsewhere/db' })).toThrow(
    'Omit --fresh or unset DATABASE_URL',
  );
});
