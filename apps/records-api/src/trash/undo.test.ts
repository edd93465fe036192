import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EraseApi, startEraseApi } from './erase.harness.ts';

let api: EraseApi;
beforeAll(async () => void (api = await startEraseApi()));
afterAll(() => api[Symbol.asyncDispose]());

const merge = (plural: 'accounts' | 'contacts', winner: string, losers: string[]) =>
  api.tenant.client('POST', api.pathOf(plural, '/merge'), { body: { winner_id: winner, loser_ids: losers } });

/** Merges a contact with an account into a contact without one, and returns their ids. */
async function mergeWithAccount() {
  const account = (await api.make('accounts')).id;
  const [winner, loser] = [await api.make('contacts'), await api.make('contacts', { account_id: account })];
  const { body } = await merge('contacts', winner.id, [loser.id]);
  expect(body.meta.filled).toEqual(['account_id']);
  return { account, winner: winner.id, loser: loser.id };
}

const accountOf = async (id: string) => (await api.get('contacts', id)).body.data.account_id as string | undefined;

test('an undo clears an account_id that the loser filled, also if the account was deleted and restored meanwhile', async () => {
  const { account, winner, loser } = await mergeWithAccount();
  await api.remove('accounts', account);
  expect(await accountOf(winner)).toBeUndefined();
  await api.restore(account);
  expect(await accountOf(winner)).toBe(account);
  await api.restore(loser);
  expect([await accountOf(winner), await accountOf(loser)]).toEqual([undefined, account]);
});

test('an undo clears an account_id that the loser filled, also if a merge of the account was undone meanwhile', async () => {
  const { account, winner, loser } = await mergeWithAccount();
  const other = (await api.make('accounts')).id;
  await merge('accounts', other, [account]);
  expect(await accountOf(winner)).toBe(other);
  await api.restore(account);
  await api.restore(loser);
  expect([await accountOf(winner), await accountOf(loser)]).toEqual([undefined, account]);
});

type Step = (account: string, others: [string, string]) => Promise<unknown>;

const ways: [what: string, steps: Step[], restored: ('account' | 'first')[]][] = [
  ['its account was merged', [(account, [first]) => merge('accounts', first, [account])], ['account']],
  ['its account was deleted', [(account) => api.remove('accounts', account)], ['account']],
  [
    'its account was merged twice',
    [
      (account, [first]) => merge('accounts', first, [account]),
      (_account, [first, second]) => merge('accounts', second, [first]),
    ],
    ['first', 'account'],
  ],
  [
    'its account was merged into one that was deleted',
    [(account, [first]) => merge('accounts', first, [account]), (_account, [first]) => api.remove('accounts', first)],
    ['first', 'account'],
  ],
];

const cases = ways.flatMap(([what, steps, restored]) =>
  Array.from({ length: restored.length + 1 }, (_, n) => ({ what, steps, restored, n })),
);

test.each(cases)(
  'if $what after the merge, only the loser has the account_id once everything is undone, the merge after $n other undos',
  async ({ steps, restored, n }) => {
    const { account, winner, loser } = await mergeWithAccount();
    const others: [string, string] = [(await api.make('accounts')).id, (await api.make('accounts')).id];
    for (const step of steps) await step(account, others);
    const ids = restored.map((which) => (which === 'account' ? account : others[0]));
    for (const id of ids.toSpliced(n, 0, loser)) expect((await api.restore(id)).status).toBe(200);
    expect([await accountOf(winner), await accountOf(loser)]).toEqual([undefined, account]);
  },
);

test('an undo after a merge of the account leaves the account that a PATCH wrote, and its kept links', async () => {
  const { account, winner, loser } = await mergeWithAccount();
  const other = (await api.make('accounts')).id;
  await api.patch('contacts', winner, { account_id: null });
  await api.patch('contacts', winner, { account_id: account });
  await merge('accounts', other, [account]);
  await api.restore(loser);
  expect([await accountOf(winner), await accountOf(loser)]).toEqual([other, other]);
  await api.restore(account);
  expect(await accountOf(winner)).toBe(account);
});

test('an undo leaves links of the winner to accounts that it had before the merge', async () => {
  const [former, account] = [(await api.make('accounts')).id, (await api.make('accounts')).id];
  const [winner, loser] = [
    await api.make('contacts', { account_id: former }),
    await api.make('contacts', { account_id: account }),
  ];
  await api.remove('accounts', former);
  await merge('contacts', winner.id, [loser.id]);
  await api.restore(loser.id);
  await api.restore(former);
  expect([await accountOf(winner.id), await accountOf(loser.id)]).toEqual([former, account]);
});

test('a restore of the account and an undo at once leave the account with the loser', async () => {
  for (let round = 0; round < 10; round++) {
    const { account, winner, loser } = await mergeWithAccount();
    await (round % 2 === 0
      ? api.remove('accounts', account)
      : merge('accounts', (await api.make('accounts')).id, [account]));
    const responses = await Promise.all([api.restore(loser), api.restore(account)]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    expect([await accountOf(winner), await accountOf(loser)], `round ${round}`).toEqual([undefined, account]);
  }
});

test('an undo keeps an account_id that a PATCH wrote after the merge, even if it is the same', async () => {
  const { account, winner, loser } = await mergeWithAccount();
  await api.patch('contacts', winner, { account_id: null });
  await api.patch('contacts', winner, { account_id: account });
  await api.restore(loser);
  expect([await accountOf(winner), await accountOf(loser)]).toEqual([account, account]);
});

test('an undo reports a link to a loser if its list has no room any more', async () => {
  const [winner, loser] = [(await api.make('contacts')).id, (await api.make('contacts')).id];
  const others = await Promise.all(Array.from({ length: 99 }, async () => (await api.make('contacts')).id));
  const [full, roomy] = [
    await api.make('opportunities', { contact_ids: [loser, winner, ...others.slice(1)] }),
    await api.make('opportunities', { contact_ids: [loser, ...others] }),
  ];
  await merge('contacts', winner, [loser]);
  await api.patch('opportunities', full.id, { contact_ids: [winner, ...others] });
  expect((await api.restore(loser)).body.meta).toMatchObject({
    relinked: { opportunities: 1 },
    dropped: [{ id: full.id, field: 'contact_ids', value: loser }],
  });
  expect((await api.get('opportunities', full.id)).body.data.contact_ids).toEqual([winner, ...others]);
  expect((await api.get('opportunities', roomy.id)).body.data.contact_ids).toEqual([loser, ...others]);
});

test('an undo does not report links that were removed after the merge, or that another merge moved', async () => {
  const [last, winner, loser] = [await api.make('contacts'), await api.make('contacts'), await api.make('contacts')];
  const deals = [
    await api.make('opportunities', { contact_ids: [loser.id, winner.id] }),
    await api.make('opportunities', { contact_ids: [loser.id] }),
  ];
  await merge('contacts', winner.id, [loser.id]);
  await api.patch('opportunities', deals[0]!.id, { contact_ids: [] });
  await merge('contacts', last.id, [winner.id]);
  expect((await api.restore(loser.id)).body.meta).toMatchObject({ relinked: { opportunities: 0 }, dropped: [] });
});
