import { afterEach, expect, test, vi } from 'vitest';
import { asTyped } from './as-typed.ts';

afterEach(() => vi.unstubAllEnvs());

test('commands in messages are written as the user can type them in this installation (found C7)', () => {
  vi.stubEnv('RELATA_COMMAND', 'docker compose run --rm relata');
  expect(asTyped('Set it: relata secrets set A, or see "relata secrets list".')).toBe(
    'Set it: docker compose run --rm relata secrets set A, or see "docker compose run --rm relata secrets list".',
  );
});

test.each([
  'postgres://relata @db',
  '/opt/relata migrate',
  '--owner=relata',
  'my-relata runs',
  'relata: No such file',
  'Relata runs at',
])('leaves %j as it is (found C7)', (message) => {
  vi.stubEnv('RELATA_COMMAND', 'npx relata');
  expect(asTyped(message)).toBe(message);
});

test('messages call the tool `relata` unless RELATA_COMMAND is set (found C7)', () => {
  vi.stubEnv('RELATA_COMMAND', undefined);
  expect(asTyped('See: relata orgs list')).toBe('See: relata orgs list');
});
