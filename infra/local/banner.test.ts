import { expect, test } from 'vitest';
import { banner } from './banner.ts';
import type { StackFile, StackOrganization } from './stack-file.ts';

const acme = { id: '0197', name: 'Acme', keys: { full: 'relata_sk_full', read_only: 'relata_sk_read' } };

function stackWith(organizations: StackOrganization[]): StackFile {
  const url = 'http://127.0.0.1:8080';
  return {
    base_url: url,
    pid: 1,
    services: {} as StackFile['services'],
    postgres: { url },
    nats: { url },
    organizations,
  };
}

test('every sample can be pasted as it is', () => {
  const commands = banner(stackWith([acme]))
    .split('\n')
    .filter((line) => line.startsWith('curl'));
  expect(commands.length).toBeGreaterThanOrEqual(5);
  expect(commands[0]).toBe("curl -s 'http://127.0.0.1:8080/v1/self' -H 'X-Api-Key: relata_sk_full'");
});

test('a database with its own data shows how to make a key', () => {
  expect(banner(stackWith([]))).toContain('npm run relata -- keys create --org ID');
});
