import { describe, expect, test } from 'vitest';
import { accountsPath, numbered, setUpBatches } from './batch.harness.ts';

const { ask, batch, latestEvent, post, total } = setUpBatches();

test('B6.3: five hundred records are created in the order of the items, each with its event', async () => {
  const before = await total();
  const response = await batch('create', numbered(500));
  expect(response).toMatchObject({ status: 200, body: { succeeded: 500, failed: 0 } });
  const { data } = response.body;
  expect(
    data.map(({ index, status, data: record, meta }: never) => [
      index,
      status,
      (record as { account_name: string }).account_name,
      meta,
    ]),
  ).toEqual(numbered(500).map(({ account_name: name }, i) => [i, 201, name, { action: 'created' }]));
  expect(await total()).toBe(before + 500);
  const history = await ask('GET', `${accountsPath}/${data[499].data.id}/history`);
  expect(history.body.data).toHaveLength(1);
  expect(history.body.data[0].request_id).toBe(response.headers.get('x-request-id'));
});

describe('an atomic batch', () => {
  // 99 and 100 are on either side of a boundary: a batch that is not atomic executes a hundred items at a time.
  const random = 2 + Math.floor(Math.random() * 497);

  test.each([0, 1, 99, 100, random, 499])('B6.2: with a fault at %i leaves nothing, and no event', async (at) => {
    const [before, event] = [await total(), await latestEvent()];
    const items = numbered(500).map((item, i) => (i === at ? { account_name: '' } : item));
    const response = await batch('create', items, { atomic: true });
    expect(response).toMatchObject({ status: 409, error: { error: 'batch_aborted' } });
    expect(response.body.results).toEqual([
      { index: at, status: 400, error: expect.objectContaining({ error: 'validation_error' }) },
    ]);
    expect([await total(), await latestEvent()]).toEqual([before, event]);
  });

  test.each([0, random, 499])('B6.2: that the database refuses at %i leaves nothing, and no event', async (at) => {
    const domain = `twice-${at}.example`;
    await post({ account_name: 'Twice', domain });
    await post({ account_name: 'Twice', domain });
    const [before, event] = [await total(), await latestEvent()];
    const items = numbered(500).map((set, i) => ({ match: { domain: i === at ? domain : `${i}.${domain}` }, set }));
    const response = await batch('upsert', items, { atomic: true });
    expect(response.body.results).toEqual([
      { index: at, status: 409, error: expect.objectContaining({ error: 'ambiguous_match' }) },
    ]);
    expect([await total(), await latestEvent()]).toEqual([before, event]);
  });

  test('reports every problem that validation finds', async () => {
    const response = await batch('create', [{}, { account_name: 'fine' }, []], { atomic: true });
    expect(response.body.results.map(({ index }: { index: number }) => index)).toEqual([0, 2]);
  });

  test('without a fault is executed completely', async () => {
    const response = await batch('create', numbered(500), { atomic: true });
    expect(response.body).toMatchObject({ succeeded: 500, failed: 0 });
  });
});

test('B1.7: a batch with an Idempotency-Key is executed once', async () => {
  const before = await total();
  const headers = { 'Idempotency-Key': 'one batch' };
  const quoted = { 'Idempotency-Key': '"one-batch"' };
  expect((await batch('create', numbered(3), {}, { headers })).status).toBe(400);
  const all = await Promise.all(
    Array.from({ length: 5 }, () => batch('create', [...numbered(300), {}], {}, { headers: quoted })),
  );
  const done = all.filter(({ status }) => status === 200);
  expect(new Set(done.map(({ text }) => text)).size).toBe(1);
  expect(done[0]!.body).toMatchObject({ succeeded: 300, failed: 1 });
  const again = await batch('create', [...numbered(300), {}], {}, { headers: quoted });
  expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([done[0]!.text, 'true']);
  expect(await total()).toBe(before + 300);
});

test.each([
  ['no items', []],
  ['501 items', numbered(501)],
  ['something else', { 0: {} }],
])('B6.3: %s: 400 without any effect', async (_what, items) => {
  const before = await total();
  const { status, error } = await batch('create', items);
  expect([status, error.details?.[0]?.field]).toEqual([400, 'items']);
  expect(await total()).toBe(before);
});

test.each(['restore', 'merge', '', null])('the operation %j: 400', async (operation) => {
  const { status, error } = await batch(operation as string, [{}]);
  expect([status, error.details?.[0]?.field]).toEqual([400, 'operation']);
});
