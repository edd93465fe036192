import { type Database, statement } from '@relata/db';
import { insertSkewedRecords } from '@relata/testing/skewed-records';
import { atPace } from '../../flood/pace.ts';
import { senderTo } from '../../flood/requests.ts';
import { neighbour } from '../../neighbour.ts';
import { analyze } from '../../test-bed/party.sql.ts';

const perSecond = 100;
const contacts = 100_000;
const answeredMin = 10;

/** Every contact has an email address, and its domain ends with `.example`. */
const commonWord = 'example';
const commonTag = 'tag-1';

async function insertContacts(database: Database, orgId: string): Promise<void> {
  const counts = { accounts: 1_000, contacts, opportunities: 0, activities: 0, users: 20, pipelines: 1 };
  await insertSkewedRecords(database, orgId, counts);
  await database.query(vacuum, []);
  await analyze(database);
}

const vacuum = statement<never>('', 'VACUUM contacts');

interface ListsOptions {
  name: string;
  flood: string;
  /** A different page each time, because identical lists are read once. */
  queryOf: (turn: number) => string;
}

const lists = ({ name, flood, queryOf }: ListsOptions) =>
  neighbour<void>({
    name,
    resource: 'processor of the database',
    flood: `${perSecond} a second: ${flood}, of ${contacts.toLocaleString('en-US')} contacts`,
    probes: ['get', 'post', 'page'],
    apps: ['records-api'],
    prepare: ({ database }, { orgId }) => insertContacts(database, orgId),
    answers: { status: [200, 429, 503] },
    async run(context) {
      const send = senderTo(context, 'records-api');
      const path = (turn: number) => `/v1/records/contacts?${queryOf(turn)}`;
      await atPace(context.signal, perSecond, (turn) => send({ path: path(turn) }));
    },
    // More are asked for than are answered at once, and some are.
    hasEffect: ({ figures }) => figures['status 200']! >= answeredMin,
  });

export const commonWords = lists({
  name: 'lists-common-words',
  flood: 'searches for a word that every contact has',
  queryOf: (turn) => `q=${commonWord}&offset=${turn % 10_000}`,
});

/** Many records have the tag, and half of them are recent. One of the two sorts is by neither of these fields. */
export const pairs = lists({
  name: 'lists-pairs',
  flood: 'two frequent filters and a sort',
  queryOf: (turn) =>
    `tags[any]=${commonTag}&created_at[gte]=${recent}&sort=${turn % 2 === 0 ? 'created_at' : '-last_name'}&offset=${turn % 10_000}`,
});

/** The time of the contact in the middle: there is one a minute. */
const recent = new Date(Date.now() - (contacts / 2) * 60_000).toISOString();
