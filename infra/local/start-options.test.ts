import { expect, test } from 'vitest';
import { readStartOptions } from './start-options.ts';

test('without anything set it is port 8080 with own servers and kept data', () => {
  const servers = { databaseUrl: undefined, natsUrl: undefined, hasChannel: false };
  const usual = { port: 8080, isFresh: false, wantsHelp: false, ...servers };
  expect(readStartOptions([], {})).toEqual(usual);
  const empty = { PORT: '', DATABASE_URL: '', NATS_URL: '', TEAM_CHANNEL_WEBHOOK_URL: '' };
  expect(readStartOptions([], empty)).toEqual(usual);
});

test("the user's own team channel is told apart from none", () => {
  expect(readStartOptions([], { TEAM_CHANNEL_WEBHOOK_URL: 'https://example.com/hook' })).toMatchObject({
    hasChannel: true,
  });
});

test.each(['0', '65536', '80a', '1.5'])('PORT=%s is refused', (PORT) => {
  expect(() => readStartOptions([], { PORT })).toThrow('PORT must be a number');
});

test('an unknown option shows what there is', () => {
  expect(() => readStartOptions(['--frsh'], {})).toThrow(/--frsh[^]*npm start -- --fresh/);
});

test('--fresh never touches a database that is not ours', () => {
  expect(() => readStartOptions(['--fresh'], { DATABASE_URL: 'postgres://elsewhere/db' })).toThrow('Unset one of them');
});
