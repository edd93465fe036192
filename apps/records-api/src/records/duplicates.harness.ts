import type { Db } from '@relata/db';
import { systemActor } from '@relata/events';
import { accounts, contacts, insertRecords, newRow, type RecordTable } from '@relata/records';
import type { ApiClient } from '@relata/testing';

type Row = Record<string, string | undefined>;

export interface Group {
  value: string;
  count: number;
  count_relation?: 'gte';
  ids: string[];
}

const lower = (text: string | undefined) => text?.toLowerCase();

/** Returns the host of a domain. */
const hostOf = (domain: string | undefined) =>
  domain
    ?.toLowerCase()
    .replace(/^[a-z]+:\/\//, '')
    .replace(/^www\./, '')
    .replace(/[/?#:][^]*$/, '')
    .replace(/\.$/, '');

/**
 * Functions that return the compared values of a record, for each list and each value of `by`. They compute in
 * JavaScript what the database computes in SQL.
 */
export const comparisons: Record<'accounts' | 'contacts', Record<string, (row: Row) => (string | undefined)[]>> = {
  accounts: {
    domain: ({ domain }) => [hostOf(domain)],
    account_name: ({ account_name: name }) => [lower(name)],
    crm_id: ({ crm_id: id }) => [id],
  },
  contacts: {
    email: ({ email }) => [lower(email)],
    crm_id: ({ crm_id: id }) => [id],
    name_company: ({ first_name: first, last_name: last, company }) => [first, last, company].map(lower),
  },
};

/**
 * Returns the groups of records with equal values, in the order of the values. The given records must be in the order
 * of creation.
 */
export function groupsOf(rows: readonly Row[], textsOf: (row: Row) => (string | undefined)[]): Group[] {
  const compared = rows.filter((row) => textsOf(row).every((text) => text));
  const groups = [...Map.groupBy(compared, (row) => JSON.stringify(textsOf(row))).values()];
  return sorted(
    groups
      .filter(({ length }) => length > 1)
      .map((group) => ({
        value: textsOf(group[0]!).join(', '),
        count: group.length,
        ids: group.map(({ id }) => id!).slice(0, 20),
      })),
  );
}

export const sorted = (groups: readonly Group[]) =>
  groups.toSorted((a, b) => (`${a.value} ${a.ids[0]}` < `${b.value} ${b.ids[0]}` ? -1 : 1));

/** Reads all pages. `between` is called after each page except the last. */
export async function walk(
  client: ApiClient,
  path: string,
  limitOf: () => number = () => 25,
  between?: () => Promise<void>,
): Promise<Group[]> {
  const found: Group[] = [];
  for (let cursor = ''; ;) {
    const limit = limitOf();
    const { status, body, text } = await client('GET', `${path}&limit=${limit}${cursor && `&cursor=${cursor}`}`);
    if (status !== 200 || body.data.length > limit) throw new Error(text);
    if (body.has_more !== (body.next_cursor !== undefined)) throw new Error(text);
    found.push(...(body.data as Group[]));
    if (!body.has_more) return found;
    cursor = body.next_cursor;
    await between?.();
  }
}

const any = <Value>(values: readonly Value[]): Value => values[Math.floor(Math.random() * values.length)]!;
const inAnyCase = (text: string) => text.replaceAll(/./gu, (each) => (Math.random() < 0.3 ? each.toUpperCase() : each));

/** Returns one of `few` in a random letter case, or `unique`, or undefined. */
function draw(few: readonly string[], unique: string): string | undefined {
  const chance = Math.random();
  return chance < 0.4 ? inAnyCase(any(few)) : chance < 0.8 ? unique : undefined;
}

const hosts = [
  'robotics.example',
  'www.northwind.example',
  'kumo.example.',
  'äöü.example',
  'a..',
  'www.',
  'h2.example',
];
const written = ['', '', 'https://', 'HTTP://www.', 'ftp://', 'h2://', '//', 'https://https://'];
const ends = ['', '', '/', ':8080', ':8080/x?y=https://z', '?a', '#b', './', '.:80', '..', '\n/x'];

function account(i: number): Row {
  const host = draw(hosts, `company-${i}.example`);
  return {
    account_name: draw(['Example Robotics', 'Ćma & Søn', '%', ' x '], `Company ${i}`) ?? `Other ${i}`,
    domain: host === undefined ? any([undefined, '', ' ', 'https://', '.']) : `${any(written)}${host}${any(ends)}`,
    crm_id: any(['crm-1', 'CRM-1', 'crm-2', `crm-${i}`, undefined]),
  };
}

function contact(i: number): Row {
  return {
    first_name: draw(['Ada', 'Ada, B', 'Søren'], `First ${i}`) ?? 'Ada',
    last_name: draw(['Lovelace', 'B, Lovelace', 'Holm'], `Last ${i}`) ?? 'Lovelace',
    email: draw(['ada@robotics.example', 'soren@northwind.example'], `person-${i}@example.com`),
    company: any(['Example Robotics', 'EXAMPLE robotics', 'Kumo', 'B, Kumo', '', undefined]),
    crm_id: any(['crm-1', 'CRM-1', 'crm-2', `crm-${i}`, undefined]),
  };
}

/** Inserts records, many with the same values, and returns them in the order of creation. */
export async function insertAlike(
  db: Db,
  orgId: string,
  plural: keyof typeof comparisons,
  count: number,
): Promise<Row[]> {
  const table: RecordTable<unknown> = plural === 'accounts' ? accounts : contacts;
  const rows = Array.from({ length: count }, (_, i) => (plural === 'accounts' ? account(i) : contact(i)));
  const inserted: Row[] = [];
  for (const row of rows.map((each) => newRow(systemActor(orgId, 'test'), table, each, table.writableByWorkflows)))
    inserted.push(...((await insertRecords(db, table, [row])) as Row[]));
  return inserted;
}
