import { newId } from '@relata/db';
import { type NewRefusal, storeRefusals } from '@relata/workflows/intake';
import { expect, test } from 'vitest';
import { type Assigned, setUpAssigned } from './deliveries.harness.ts';

const { cli, acme, globex } = setUpAssigned();

/** Stores a refused post. */
async function refuse({ orgId, triggerId }: Assigned, more: Partial<NewRefusal> = {}): Promise<string> {
  const refusal = {
    orgId,
    id: newId(),
    triggerId,
    refusedAt: new Date(),
    isAuthorized: true,
    status: 400,
    reason: 'invalid_input',
    message: 'input "email" (from payload.email) is required',
    field: 'payload.email',
    bytes: 14,
    address: '192.0.2.1',
    body: Buffer.from('{"mail":"ada"}'),
    ...more,
  };
  await storeRefusals(cli.database(), [refusal], [{ ...refusal, refused: 7 }]);
  return refusal.id;
}

const idsOf = (list: { id: string }[]) => list.map(({ id }) => id);

test('lists the refused posts of all organizations, one organization or one trigger, newest first', async () => {
  const made = [await refuse(acme), await refuse(globex), await refuse(acme)];
  const list = async (...options: string[]) => idsOf(await cli.json('deliveries', 'list', '--refused', ...options));
  expect(await list()).toEqual(made.toReversed());
  expect(await list('--org', acme.orgId)).toEqual([made[2], made[0]]);
  expect(await list('--trigger', globex.triggerId)).toEqual([made[1]]);
  expect(await list('--limit', '1', '--before', made[2]!)).toEqual([made[1]]);
});

test('a refused post is shown with the invalid input, and its trigger with the number of refused posts', async () => {
  const posts = await cli.json('deliveries', 'list', '--refused', '--trigger', globex.triggerId);
  expect(posts).toEqual([
    {
      id: expect.any(String),
      org_id: globex.orgId,
      trigger_id: globex.triggerId,
      trigger: 'Web form',
      refused_at: expect.any(String),
      status: 400,
      reason: 'invalid_input',
      message: 'input "email" (from payload.email) is required',
      field: 'payload.email',
      bytes: 14,
      address: '192.0.2.1',
      body: '{"mail":"ada"}',
      can_replay: true,
      delivery_id: null,
    },
  ]);
  const { stdout } = await cli.run(['deliveries', 'list', '--refused', '--org', globex.orgId]);
  expect(stdout).toMatch(
    / 400 +invalid_input +payload\.email +14 +192\.0\.2\.1 +input "email" \(from payload\.email\)/,
  );
  expect((await cli.json('triggers', 'show', globex.triggerId)).refused).toEqual([
    {
      reason: 'invalid_input',
      refused: 7,
      last_refused_at: expect.any(String),
      last_message: 'input "email" (from payload.email) is required',
    },
  ]);
  expect((await cli.run(['triggers', 'show', globex.triggerId])).stdout).toMatch(
    /REFUSED IN 7 DAYS\n.*\ninvalid_input +7 /,
  );
});

test('the stored part of a long body ends with a whole character, and bytes that are not text are shown in base64', async () => {
  const long = Buffer.from(`"${'é'.repeat(5_000)}"`);
  await refuse(acme, { body: long.subarray(0, 8_192), bytes: long.length });
  await refuse(acme, { body: Buffer.from([0xff, 0x00]), bytes: 2 });
  await refuse(acme, { body: undefined, isAuthorized: false, status: 401 });
  const posts = await cli.json('deliveries', 'list', '--refused', '--trigger', acme.triggerId, '--limit', '3');
  expect(posts[0].body).toBeNull();
  expect(posts[1]).toMatchObject({ body_base64: '/wA=' });
  expect(posts[2].body).toBe(`"${'é'.repeat(4_095)}`);
});

test('a refused post is shown and replayed by its id, and is then a delivery (acceptance S.13)', async () => {
  const id = await refuse(acme, { body: Buffer.from('{"email":"ada@acme.example"}'), bytes: 28 });
  expect(await cli.json('deliveries', 'show', id)).toMatchObject({
    id,
    can_replay: true,
    body: '{"email":"ada@acme.example"}',
    fields: { 'payload.email': 'ada@acme.example' },
  });
  expect((await cli.run(['deliveries', 'show', id])).stdout).toMatch(/^payload\.email +"ada@acme\.example"$/m);
  const replayed = await cli.json('deliveries', 'replay', id);
  expect(await cli.json('deliveries', 'show', replayed.id)).toMatchObject({ runs: [{ id: replayed.runs[0] }] });
  expect(await cli.json('deliveries', 'show', id)).toMatchObject({ can_replay: false, delivery_id: replayed.id });
  expect(await cli.fault('deliveries', 'replay', id)).toMatchObject({ code: 1, error: 'conflict' });
});
