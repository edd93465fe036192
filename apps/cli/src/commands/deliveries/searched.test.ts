import { expect, test } from 'vitest';
import { deliver, setUpAssigned } from './deliveries.harness.ts';

const { cli, acme, globex } = setUpAssigned();

const idsOf = (list: { id: string }[]) => list.map(({ id }) => id);

test('deliveries are searched with an expression, page by page, and the output says how far back it has searched', async () => {
  const made = [];
  for (const email of ['ada', 'bob', 'ada']) {
    const { id } = await deliver(cli.database(), acme, JSON.stringify({ email: `${email}@example.com` }));
    made.push(id);
  }
  await deliver(cli.database(), globex, '{"email":"ada@example.com"}');
  const search = ['deliveries', 'list', '--org', acme.orgId, '--where', 'payload.email == "ada@example.com"'];
  expect(idsOf(await cli.json(...search))).toEqual([made[2], made[0]]);
  expect((await cli.run(search)).stdout).toContain('Searched to the end: 3 deliveries.');
  const { stdout } = await cli.run([...search, '--limit', '1']);
  expect(stdout).toMatch(new RegExp(`Searched back to \\S+: 1 delivery\\. Continue: --before ${made[2]}\n$`));
  expect(idsOf(await cli.json(...search, '--before', made[2]!))).toEqual([made[0]]);
  const ofTrigger = ['--trigger', globex.triggerId, '--where', 'has(payload.email)'];
  expect(await cli.json('deliveries', 'list', ...ofTrigger)).toHaveLength(1);
});

test('deliveries are searched for a text (found B8)', async () => {
  const of = ['deliveries', 'list', '--org', acme.orgId, '--text'];
  expect(await cli.json(...of, 'BOB@example.com')).toHaveLength(1);
  expect((await cli.run([...of, 'nobody@example.com'])).stdout).toContain('Searched to the end: 3 deliveries.');
});

test('says on how many deliveries the expression failed, and why', async () => {
  const { id } = await deliver(cli.database(), globex, '{}');
  const { stdout } = await cli.run(['deliveries', 'list', '--org', globex.orgId, '--where', 'payload.email == "x"']);
  expect(stdout).toContain(`The expression failed on 1 of them, first on ${id}: No such key: email in payload.`);
});

test.for<[string[], string]>([
  [['--where', 'payload.a = 1'], '--where: Needs --org or --trigger.'],
  [['--where', 'true', '--refused'], '--where: Cannot be combined with --refused'],
  [['--text', 'a'], '--text: Needs --org or --trigger.'],
  [['--text', 'a', '--where', 'true'], '--text: Cannot be combined with --where.'],
])('a search of %s is refused', async ([options, message]) => {
  expect(await cli.fault('deliveries', 'list', ...options)).toMatchObject({
    code: 2,
    message: expect.stringContaining(message),
  });
});

test('an invalid expression is refused at its position', async () => {
  const fault = await cli.fault('deliveries', 'list', '--org', acme.orgId, '--where', 'payload.a = 1');
  expect(fault).toMatchObject({ code: 2, error: 'validation_error' });
  expect(fault.message).toMatch(/^--where: The expression is wrong: .*line 1, column 11.*Did you mean ==\?$/);
});
