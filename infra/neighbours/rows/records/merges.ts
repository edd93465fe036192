import { newId, statement } from '@relata/db';
import { inWaves } from '../../flood/load-shapes.ts';
import { senderTo } from '../../flood/requests.ts';
import { neighbour } from '../../neighbour.ts';

const streams = 8;
const losersCount = 10;
const linksCount = 1_000;

/** Contacts of one merge: the losers are merged into the winner. */
interface Group {
  winner: string;
  losers: string[];
}

const insertContacts = statement<never>(
  'neighbours.insert_contacts',
  `INSERT INTO contacts (org_id, id, first_name, last_name)
   SELECT $1, id, 'Ada', 'Lovelace' FROM unnest($2::uuid[]) AS given (id)`,
);

const insertLinked = statement<never>(
  'neighbours.insert_linked',
  `INSERT INTO opportunities (org_id, id, opportunity_name, account_id, contact_ids)
   SELECT $1, uuidv7(), 'Deal', $2, ARRAY[id] FROM unnest($3::uuid[]) AS given (id), generate_series(1, $4::int)`,
);

/** Each merge locks a thousand records, and its undo changes as many records (acceptance B7.11). */
export const merges = neighbour<Group[]>({
  name: 'merges',
  flood: `${streams} streams of merges of ${losersCount} contacts with ${linksCount.toLocaleString('en-US')} links, each undone again`,
  probes: ['get', 'post', 'patch'],
  apps: ['records-api'],
  async prepare({ database }, { orgId, accountIds }) {
    const groups = Array.from({ length: streams }, () => ({
      winner: newId(),
      losers: Array.from({ length: losersCount }, () => newId()),
    }));
    for (const { winner, losers } of groups) {
      await database.query(insertContacts, [orgId, [winner, ...losers]]);
      await database.query(insertLinked, [orgId, accountIds[0], losers, linksCount / losersCount]);
    }
    return groups;
  },
  responses: { merge: [200], restore: [200] },
  async run(context) {
    const send = senderTo(context, 'records-api');
    await inWaves(context.signal, { count: streams, everyMs: 0 }, async (place) => {
      const { winner, losers } = context.own[place]!;
      const headers = { 'x-api-key': context.flooder.keys[place]! };
      const body = { winner_id: winner, loser_ids: losers };
      await send({ method: 'POST', path: '/v1/records/contacts/merge', headers, body }, 'merge');
      for (const id of losers)
        if (!context.signal.aborted)
          await send({ method: 'POST', path: `/v1/trash/${id}/restore`, headers }, 'restore');
    });
  },
  hasEffect: ({ figures }) => (figures['merge 200'] ?? 0) >= streams,
});
