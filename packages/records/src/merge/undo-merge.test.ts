import { Executor, type Statement, statement } from '@relata/db';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accounts } from '../accounts/account.table.ts';
import { contacts } from '../contacts/contact.table.ts';
import { opportunities } from '../opportunities/opportunity.table.ts';
import { openTestRecords, type TestRecords } from '../records.harness.ts';
import { deleteRecord } from '../trash/delete-record.ts';
import { insertRecords, newRow } from '../writes/create-record.ts';
import { mergeUnit, restoreUnit } from '../writes/record-units.ts';

let records: TestRecords;
let accountId: string;
beforeAll(async () => {
  records = await openTestRecords();
  accountId = (await records.insert(accounts, { account_name: 'Robotics' })).id;
});
afterAll(() => records[Symbol.asyncDispose]());

/** Returns a function that generates numbers from 0 to below 1, the same ones for the same seed. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, key: random() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

/** Contacts by name, and opportunities with lists of them. */
class Lists {
  readonly #ids = new Map<string, string>();
  #deals: readonly string[] = [];
  readonly #trashed = new Set<string>();

  static async of(lists: readonly (readonly string[])[]): Promise<Lists> {
    const made = new Lists();
    for (const name of new Set(lists.flat())) {
      const { id } = await records.insert(contacts, { first_name: name, last_name: 'Lovelace' });
      made.#ids.set(name, id);
    }
    const rows = lists.map((names) => {
      const contact_ids = names.map((name) => made.#ids.get(name));
      return newRow(records.actor, opportunities, { opportunity_name: 'Deal', account_id: accountId, contact_ids });
    });
    const inserted = await insertRecords(records.db.database, opportunities, rows);
    made.#deals = inserted.map((deal) => deal!.id);
    return made;
  }

  async merge(winner: string, losers: readonly string[]): Promise<void> {
    const loserIds = losers.map((name) => this.#ids.get(name)!);
    const merge = { winnerId: this.#ids.get(winner)!, loserIds, set: {}, versions: new Map() };
    await new Executor(records.db.database).runAlone(mergeUnit(records.actor, contacts, merge));
  }

  async restore(name: string): Promise<void> {
    await this.#restore(this.#ids.get(name)!);
  }

  /** Moves random opportunities to the trash, and restores others from it. */
  async shuffleTrash(random: () => number): Promise<void> {
    for (const id of this.#deals) {
      if (random() < 0.5) continue;
      if (this.#trashed.has(id)) await this.#restore(id);
      else await records.transaction((db) => deleteRecord(db, records.actor, opportunities, { id }));
      if (!this.#trashed.delete(id)) this.#trashed.add(id);
    }
  }

  async emptyTrash(): Promise<void> {
    for (const id of this.#trashed) await this.#restore(id);
  }

  async #restore(id: string): Promise<void> {
    await new Executor(records.db.database).runAlone(restoreUnit(records.actor, { id }));
  }

  /** Returns the names in each list, joined. */
  async read(): Promise<string[]> {
    const rows = await records.db.database.query(listsOf, [records.orgId, this.#deals]);
    return rows.map(({ names }) => names);
  }
}

const listsOf: Statement<{ names: string }> = statement(
  'test.lists',
  `SELECT (SELECT coalesce(string_agg(c.first_name, ' ' ORDER BY linked.n), '')
     FROM unnest(o.contact_ids) WITH ORDINALITY AS linked (id, n) JOIN contacts c ON c.org_id = $1 AND c.id = linked.id) AS names
   FROM unnest($2::uuid[]) WITH ORDINALITY AS given (id, n) JOIN opportunities o ON o.org_id = $1 AND o.id = given.id
   ORDER BY given.n`,
);

/**
 * Returns a list after a merge. The winner takes the position of its first loser, unless the list has the winner
 * already.
 */
function afterMerge(list: readonly string[], winner: string, losers: readonly string[]): string[] {
  const isGone = (name: string) => losers.includes(name);
  if (list.includes(winner)) return list.filter((name) => !isGone(name));
  const first = list.findIndex(isGone);
  return list.flatMap((name, i) => (i === first ? [winner] : isGone(name) ? [] : [name]));
}

const joined = (lists: readonly (readonly string[])[]) => lists.map((names) => names.join(' '));

/** Returns random lists of some of the names. */
function randomLists(names: readonly string[], random: () => number): string[][] {
  return Array.from({ length: 60 }, () => shuffled(names, random).slice(0, 1 + Math.floor(random() * names.length)));
}

const losers = ['a', 'b', 'c', 'd'];
const seeds = [1, 2, 4];

describe('after the undo of a merge, each list is as it was', () => {
  test('if losers stand in front of the winner, and the last of them is restored first', async () => {
    const lists = await Lists.of([
      ['a', 'b', 'w'],
      ['a', 'b', 'x', 'w'],
      ['x', 'a', 'b', 'w'],
    ]);
    await lists.merge('w', ['a', 'b']);
    for (const name of ['b', 'a']) await lists.restore(name);
    expect(await lists.read()).toEqual(['a b w', 'a b x w', 'x a b w']);
  });

  test.each(seeds)('for random lists and a random order of restores (seed %i)', async (seed) => {
    const random = seeded(seed);
    const before = randomLists([...losers, 'w', 'x', 'y'], random);
    const lists = await Lists.of(before);
    const order = shuffled(losers, random);
    await lists.merge('w', losers);
    for (const name of order) await lists.restore(name);
    expect(await lists.read(), order.join()).toEqual(joined(before));
  });

  test.each(seeds)('if some of the opportunities are in the trash meanwhile (seed %i)', async (seed) => {
    const random = seeded(seed);
    const before = randomLists([...losers, 'v', 'w', 'x', 'y'], random);
    const lists = await Lists.of(before);
    const order = ['w', ...shuffled(losers, random)];
    await lists.merge('w', losers);
    await lists.merge('v', ['w']);
    for (const name of order) {
      await lists.shuffleTrash(random);
      await lists.restore(name);
    }
    await lists.emptyTrash();
    expect(await lists.read(), order.join()).toEqual(joined(before));
  });

  test.each(seeds)('if the winner was merged, and is restored first (seed %i)', async (seed) => {
    const random = seeded(seed);
    const before = randomLists([...losers, 'v', 'w', 'x'], random);
    const lists = await Lists.of(before);
    const order = ['w', ...shuffled(losers, random)];
    await lists.merge('w', losers);
    await lists.merge('v', ['w']);
    for (const name of order) await lists.restore(name);
    expect(await lists.read(), order.join()).toEqual(joined(before));
  });

  test.each(seeds)('except for other records that stay merged, also in a chain (seed %i)', async (seed) => {
    const random = seeded(seed);
    const before = randomLists([...losers, 'w', 'p', 'q', 's'], random);
    const lists = await Lists.of(before);
    const order = shuffled(losers, random);
    await lists.merge('w', losers);
    await lists.merge('q', ['p']);
    await lists.merge('s', ['q']);
    for (const name of order) await lists.restore(name);
    const expected = before.map((names) => afterMerge(afterMerge(names, 'q', ['p']), 's', ['q']));
    expect(await lists.read(), order.join()).toEqual(joined(expected));
  });
});
