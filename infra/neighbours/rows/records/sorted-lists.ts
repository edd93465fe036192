import type { Database } from '@relata/db';
import { insertSkewedRecords } from '@relata/testing/skewed-records';
import { atRate } from '../../flood/load-shapes.ts';
import { senderTo } from '../../flood/requests.ts';
import { neighbour } from '../../neighbour.ts';

const perSecond = 100;
const rows = 100_000;
const answeredMin = 10;

/** Every contact has an email address, and its domain ends with `.example`. */
const commonWord = 'example';
const commonTag = 'tag-1';

type List = 'contacts' | 'opportunities';

async function insertRows(database: Database, orgId: string, list: List): Promise<void> {
  const counts = { accounts: 1_000, contacts: 0, opportunities: 0, activities: 0, users: 20, pipelines: 1 };
  await insertSkewedRecords(database, orgId, { ...counts, [list]: rows });
}

interface ListsOptions {
  name: string;
  flood: string;
  list: List;
  /**
   * Returns a path below the list, with a different query each time, because concurrent requests for the same list
   * share one read.
   */
  pathOf: (turn: number) => string;
}

const lists = ({ name, flood, list, pathOf }: ListsOptions) =>
  neighbour<void>({
    name,
    flood: `${perSecond} a second: ${flood}, of ${rows.toLocaleString('en-US')} ${list}`,
    probes: ['get', 'post', 'page'],
    apps: ['records-api'],
    prepare: ({ database }, { orgId }) => insertRows(database, orgId, list),
    responses: { status: [200, 429, 503] },
    async run(context) {
      const send = senderTo(context, 'records-api');
      const path = (turn: number) => `/v1/records/${list}${pathOf(turn)}`;
      await atRate(context.signal, perSecond, (turn) => send({ path: path(turn) }));
    },
    // More is requested than can be answered at the same time, so some answers are enough.
    hasEffect: ({ figures }) => figures['status 200']! >= answeredMin,
  });

/** Tests that searches for the most common word leave room for others (acceptance B4.10). */
export const commonWords = lists({
  name: 'lists-common-words',
  flood: 'searches for a word that every contact has',
  list: 'contacts',
  pathOf: (turn) => `?q=${commonWord}&offset=${turn % 10_000}`,
});

/** Many records have the tag, and half of all records are recent. Every second list is sorted by a third field. */
export const pairs = lists({
  name: 'lists-pairs',
  flood: 'two frequent filters and a sort',
  list: 'contacts',
  pathOf: (turn) =>
    `?tags[any]=${commonTag}&created_at[gte]=${recent}&sort=${turn % 2 === 0 ? 'created_at' : '-last_name'}&offset=${turn % 10_000}`,
});

/** Creation time of the contact in the middle. One contact was created per minute. */
const recent = new Date(Date.now() - (rows / 2) * 60_000).toISOString();

export const sums = lists({
  name: 'lists-sums',
  flood: 'exact sums by account',
  list: 'opportunities',
  pathOf: (turn) => `/summary?count=exact&group_by=account_id&sum=amount&avg=amount&amount[gte]=${turn / 10_000}`,
});
