import { newId } from '@relata/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Plural, startTrashApi, type TrashApi } from './trash.harness.ts';

let api: TrashApi;
beforeAll(async () => {
  api = await startTrashApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const plurals: Plural[] = ['accounts', 'contacts', 'opportunities', 'activities'];
const workers = 6;
const actionsEach = 40;

/** Returns a generator of pseudorandom numbers from 0 to below 1; the same seed yields the same numbers. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

type Ids = Record<Plural, string[]>;
type Pick = <Item>(from: readonly Item[]) => Item | undefined;

/** Returns fields that link to some of the known records, which may have been deleted meanwhile. */
function linksOf(plural: Plural, ids: Ids, pick: Pick): object {
  const some = (of: Plural) => [...new Set([pick(ids[of]), pick(ids[of]), pick(ids[of])])].filter((id) => id);
  if (plural === 'contacts') return { account_id: pick(ids.accounts) };
  if (plural === 'opportunities') return { account_id: pick(ids.accounts), contact_ids: some('contacts') };
  return plural === 'activities' ? { contact_ids: some('contacts'), opportunity_ids: some('opportunities') } : {};
}

/** Sends one random request and returns its status. The request may fail because of concurrent requests. */
async function act(ids: Ids, random: () => number): Promise<number> {
  const pick: Pick = (from) => from[Math.floor(random() * from.length)];
  const plural = pick(plurals)!;
  const id = pick(ids[plural]);
  const roll = random();
  const client = api.tenant.client;
  if (id === undefined || roll < 0.35) {
    const bodies = {
      accounts: { account_name: 'Robotics' },
      contacts: { first_name: 'Ada', last_name: 'Lovelace' },
      opportunities: { opportunity_name: 'Deal' },
      activities: { content: 'Called' },
    };
    const body = { ...bodies[plural], ...linksOf(plural, ids, pick) };
    const created = await client('POST', api.pathOf(plural), { body });
    if (created.status === 201) ids[plural].push(created.body.data.id);
    return created.status;
  }
  if (roll < 0.5 && plural !== 'activities') {
    const body = { tags: [`t${Math.floor(random() * 3)}`], ...linksOf(plural, ids, pick) };
    return (await client('PATCH', api.pathOf(plural, `/${id}`), { body })).status;
  }
  if (roll < 0.65 && (plural === 'accounts' || plural === 'contacts')) {
    const losers = new Set([id, pick(ids[plural]), pick(ids[plural])]);
    const winner = pick(ids[plural].filter((each) => !losers.has(each))) ?? newId();
    const body = { winner_id: winner, loser_ids: [...losers], set: { city: `City ${Math.floor(random() * 3)}` } };
    return (await client('POST', api.pathOf(plural, '/merge'), { body })).status;
  }
  if (roll < 0.8) {
    const query = plural === 'accounts' && random() < 0.5 ? '?cascade=true' : '';
    return (await api.remove(plural, id, query)).status;
  }
  return (await api.restore(id)).status;
}

type Fields = Record<string, unknown>;

interface State {
  record?: Fields;
  isDeleted: boolean;
}

const verbOf = (event: Fields) => (event['type'] as string).split('.')[1]!;

/** Returns the fields that an event must show if the record had this state before. */
function expectedAfter({ record: before = {}, isDeleted }: State, event: Fields) {
  const record = event['record'] as Fields;
  const changed = (event['changed'] ?? []) as string[];
  const valuesIn = (from: Fields) =>
    Object.fromEntries(changed.flatMap((name) => (name in from ? [[name, from[name]]] : [])));
  const kept = Object.entries(before).filter(([name]) => !changed.includes(name));
  const isNew = Object.keys(before).length === 0;
  const { updated_at } = record;
  switch (verbOf(event)) {
    case 'created':
      return { isPossible: isNew, previous: undefined, record };
    case 'updated':
    case 'merged':
      return {
        isPossible: !isNew && !isDeleted,
        previous: valuesIn(before),
        record: { ...Object.fromEntries(kept), ...valuesIn(record), updated_at },
      };
    case 'deleted':
      return { isPossible: !isNew && !isDeleted, previous: undefined, record: before };
    default:
      return { isPossible: isDeleted, previous: undefined, record };
  }
}

/** Checks that each event of a record follows from the previous one, and returns the last state. */
function fold(events: readonly Fields[]): State {
  let state: State = { isDeleted: false };
  for (const event of events) {
    const record = event['record'] as Fields;
    expect({ isPossible: true, previous: event['previous'], record }).toEqual(expectedAfter(state, event));
    state = { record, isDeleted: verbOf(event) === 'deleted' };
  }
  return state;
}

test('after random concurrent creates, changes, deletes, restores and merges, records and events are consistent (acceptance B7.8)', async () => {
  const ids: Ids = { accounts: [], contacts: [], opportunities: [], activities: [] };
  const statuses = new Set<number>();
  const work = async (_each: unknown, seed: number) => {
    const random = seeded(seed + 1);
    for (let i = 0; i < actionsEach; i++) statuses.add(await act(ids, random));
  };
  await Promise.all(Array.from({ length: workers }, work));
  expect([...statuses].filter((status) => status >= 500)).toEqual([]);
  const verbs = await api.sql<{ verb: string }>(
    `SELECT DISTINCT split_part(type, '.', 2) AS verb FROM events ORDER BY verb`,
  );
  expect(verbs.map(({ verb }) => verb)).toEqual(['created', 'deleted', 'merged', 'restored', 'updated']);
  const [orphan] = await api.sql(
    `SELECT count(*)::integer AS n FROM trash_links l
     WHERE NOT EXISTS (SELECT FROM trash t WHERE t.org_id = l.org_id AND t.id = l.id AND t.record IS NOT NULL)`,
  );
  expect(orphan).toEqual({ n: 0 });
  expect(await api.countDangling()).toBe(0);
  for (const plural of plurals) {
    const table = plural === 'activities' ? 'custom_activities' : plural;
    const [row] = await api.sql<{ n: number }>(`SELECT count(*)::integer AS n FROM ${table} WHERE org_id = $1`, [
      api.tenant.orgId,
    ]);
    expect(await api.total(plural), plural).toBe(row!.n);
    for (const id of ids[plural]) {
      const { record, isDeleted } = fold(await api.history(plural, id));
      const entry = (await api.tenant.client('GET', `/v1/trash/${id}`)).body;
      const found = (await api.get(plural, id)).body;
      expect(isDeleted ? entry.data?.record : found.data).toEqual(record);
      expect((isDeleted ? found : entry).error).toBe('not_found');
    }
  }
});
