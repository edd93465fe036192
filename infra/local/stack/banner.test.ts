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
    console: { url },
    postgres: { url, app_url: url },
    nats: { url },
    organizations,
  };
}

test('every sample of the banner can be pasted into a shell unchanged', () => {
  const commands = banner(stackWith([acme]))
    .split('\n')
    .filter((line) => line.startsWith('curl'));
  expect(commands.length).toBeGreaterThanOrEqual(5);
  expect(commands[0]).toBe("curl -s 'http://127.0.0.1:8080/v1/self' -H 'X-Api-Key: relata_sk_full'");
});

const chatOf = (text: string) => text.split('\n').filter((line) => line.includes('/v1/genie/'));

test('samples of chat and demo requests use the key that has only the scope chat', () => {
  const keys = { ...acme.keys, chat: 'relata_sk_chat', publishable: 'relata_pk_site' };
  const [chat, request, ...others] = chatOf(banner(stackWith([{ ...acme, keys }])));
  expect(chat).toMatch(/^curl -sN 'http:\/\/127.0.0.1:8080\/v1\/genie\/chat' -H 'X-Api-Key: relata_sk_chat' /);
  expect(request).toMatch(
    /^curl -s 'http:\/\/127.0.0.1:8080\/v1\/genie\/demo-request' -H 'X-Api-Key: relata_sk_chat' /,
  );
  expect(others).toEqual([]);
});

test('the banner shows the demo site, and the destination of messages to the team', () => {
  const channel = { url: 'http://127.0.0.1:1/inbox/secret', kind: 'slack' } as const;
  expect(banner(stackWith([acme]))).toContain('\n  Demo site       http://127.0.0.1:8080/demo, ');
  expect(banner(stackWith([acme]))).toContain('\n  Team channel    yours\n');
  expect(banner({ ...stackWith([acme]), channel })).toContain('\n  Team channel    its messages appear below');
  expect(banner({ ...stackWith([acme]), channel })).not.toContain('secret');
});

test('for a database with its own data the banner shows how to create a key', () => {
  expect(banner(stackWith([]))).toContain('npx relata keys create --org ID');
});
