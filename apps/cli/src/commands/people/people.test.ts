import { hashCredential } from '@relata/auth';
import { findSession, redeemLink } from '@relata/people';
import { beforeAll, expect, test } from 'vitest';
import { setUpCli } from '../../cli.harness.ts';

const cli = setUpCli();
let org: string;
beforeAll(async () => void (org = (await cli.json('orgs', 'create', 'Acme')).id));

const tokenIn = (link: string) => link.split('#')[1]!;

async function redeem(link: string, given: object) {
  const client = { ip: '127.0.0.1', userAgent: 'test' };
  const redeeming = { client, maxMs: 60_000, requestId: 'test', currentPersonId: undefined };
  const token = await redeemLink({ database: cli.database() }, { token: tokenIn(link), ...given }, redeeming);
  return findSession(cli.database(), hashCredential(token), { orgId: org, idleMs: 60_000 });
}

const password = { new_password: 'correct horse battery' };

test("a setup link creates an operator once, at the console's address", async () => {
  const made = await cli.json('people', 'link', '--operator', '--url', 'https://crm.example.com/');
  const { link, expires_at: end } = made;
  expect((Date.parse(end) - Date.now()) / 60_000).toBeCloseTo(15, 0);
  expect(link).toMatch(/^https:\/\/crm\.example\.com\/console\/enter#relata_lnk_\w{38}$/);
  const root = await redeem(link, { email: 'root@acme.example', name: 'Root', ...password });
  expect(root).toMatchObject({ person: { email: 'root@acme.example', is_operator: true }, membership: null });
  await expect(redeem(link, { email: 'other@acme.example', name: 'x', ...password })).rejects.toMatchObject({
    code: 'link_ended',
  });
  const { link: reset } = await cli.json('people', 'reset', 'ROOT@acme.example');
  expect(reset).toMatch(/^\/console\/enter#/);
  expect(await redeem(reset, password)).toMatchObject({ person: { email: 'root@acme.example' } });
});

test('inviting a person, changing the role and removing the member are all in the audit log', async () => {
  const invited = await cli.json('people', 'invite', 'ada@acme.example', '--org', org, '--role', 'admin');
  expect(invited).toMatchObject({ email: 'ada@acme.example', role: 'admin' });
  await redeem(invited.link, { name: 'Ada Lovelace', ...password });
  expect(await cli.json('people', 'list')).toContainEqual(
    expect.objectContaining({ email: 'ada@acme.example', name: 'Ada Lovelace', memberships: ['Acme: admin'] }),
  );
  const last = await cli.fault('people', 'remove', 'ada@acme.example', '--org', org);
  expect(last).toMatchObject({ error: 'conflict', message: expect.stringContaining('last admin') });
  const { link } = await cli.json('people', 'invite', 'alan@acme.example', '--org', org, '--role', 'admin');
  await redeem(link, { name: 'Alan', ...password });
  expect(await cli.json('people', 'role', 'ada@acme.example', 'viewer', '--org', org)).toMatchObject({
    role: 'viewer',
  });
  expect(await cli.json('people', 'remove', 'ADA@acme.example', '--org', org)).toMatchObject({ state: 'removed' });
  const [user] = (await cli.json('users', 'list', '--org', org)) as { email: string }[];
  expect(user).toMatchObject({ email: 'ada@acme.example', last_name: 'Lovelace', role: 'viewer', status: 'inactive' });
  const events = (await cli.json('events', 'list', '--org', org)) as { type: string }[];
  expect(
    events
      .map(({ type }) => type)
      .filter((type) => type.startsWith('member.'))
      .toSorted(),
  ).toEqual([
    'member.invited',
    'member.invited',
    'member.joined',
    'member.joined',
    'member.removed',
    'member.role_changed',
  ]);
});

test('a link from `people link` adds a member with the given role and address, like an invitation', async () => {
  const made = await cli.json('people', 'link', '--org', org, '--role', 'viewer', '--email', 'grace@acme.example');
  expect(Object.keys(made)).toEqual(['link', 'expires_at']);
  expect((Date.parse(made.expires_at) - Date.now()) / 3_600_000).toBeCloseTo(72, 0);
  expect(await redeem(made.link, { name: 'Grace', ...password })).toMatchObject({
    person: { email: 'grace@acme.example', is_operator: false },
    membership: { role: 'viewer' },
  });
});

test.each([
  [[], `A member's link also needs --org, --role, --email. For an operator's link, give --operator.`],
  [['--org', 'Acme'], `A member's link also needs --role, --email.`],
  [['--role', 'viewer', '--email', 'a@acme.example'], `A member's link also needs --org.`],
  [['--operator', '--org', 'Acme'], 'Give --operator, or --org, --role and --email, not both.'],
  [['--operator', '--org', 'Acme', '--role', 'admin', '--email', 'a@acme.example'], 'not both.'],
])('people link %j is refused, and the message says what to change', async (given, message) => {
  expect(await cli.fault('people', 'link', ...given)).toMatchObject({
    error: 'validation_error',
    message: expect.stringContaining(message),
  });
});

test('wrong usage and unknown people are refused with their error codes', async () => {
  expect(await cli.fault('people', 'reset', 'nobody@acme.example')).toMatchObject({ error: 'not_found' });
  const given = ['people', 'role', 'nobody@acme.example', 'viewer', '--org', org];
  expect(await cli.fault(...given)).toMatchObject({ error: 'not_found' });
});
