import { expect, test } from 'vitest';
import { readStartOptions } from './start.options.ts';

test('without anything set it is port 8080 with own servers and kept data', () => {
  const usual = { port: 8080, isFresh: false, wantsHelp: false, databaseUrl: undefined, natsUrl: undefined };
  expect(readStartOptions([], {})).toEqual(usual);
  expect(readStartOptions([], { PORT: '', DATABASE_URL: '', NATS_URL: '' })).toEqual(usual);
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
