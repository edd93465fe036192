import { statement } from '@relata/db';
import { atPace } from '../../flood/pace.ts';
import { HttpClient } from '../../http-client.ts';
import { neighbour } from '../../neighbour.ts';
import { createTarget, type Target } from '../../test-bed/party.ts';

const perSecond = 40;

/** A definition that only an older release would have accepted. */
const spoil = statement<never>(
  'neighbours.spoil',
  `UPDATE workflow_versions v SET definition = '{"name":"spoilt","steps":[{"id":"a","use":"no.such","with":{}}]}'
   FROM workflows w WHERE v.org_id = $1 AND w.org_id = $1 AND w.id = v.workflow_id AND w.name = 'spoilt'`,
);

const workflow = (name: string) => ({
  definition: { name, inputs: {}, steps: [{ id: 'log', use: 'activity.create', with: { content: 'Never written.' } }] },
  inputs: {},
});

/** Workflows that cannot be read any more, and filters that fail. */
export const deadWorkflows = neighbour<Target>({
  name: 'dead-workflows',
  resource: 'triggers and workers',
  flood: `${perSecond} deliveries a second to a workflow that cannot be read any more and one whose filter fails`,
  allowed: 3,
  probes: ['run', 'webhook'],
  apps: ['webhook-ingest', 'workflow-worker'],
  prepare: async ({ database }, { orgId }) => {
    const failing = { ...workflow('filtered'), filter: 'payload.no.such.field > 1' };
    const target = await createTarget(database, orgId, workflow('spoilt'), failing);
    await database.query(spoil, [orgId]);
    return target;
  },
  async run({ urls, own, signal, count }) {
    using client = new HttpClient(urls['webhook-ingest']!);
    const { path, headers } = own;
    await atPace(signal, perSecond, async (turn) => {
      count(`status ${await client.statusOf({ method: 'POST', path, headers, body: { turn }, signal })}`);
    });
  },
  hasEffect: ({ figures }) => Object.values(figures).reduce((sum, some) => sum + some, 0) >= perSecond,
});
