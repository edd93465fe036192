import { until } from '../../../until.ts';
import { atPace } from '../../flood/pace.ts';
import { HttpClient } from '../../http-client.ts';
import { type Aftermath, type FloodView, neighbour } from '../../neighbour.ts';
import { createTarget, type Target } from '../../test-bed/party.ts';
import { countOpenRunsOf, countStartedRunsOf } from '../../test-bed/party.sql.ts';

const deliveriesCount = 40;
/** Afterwards, so that there are always some. */
const perSecond = 10;
const endWithinMs = 30_000;

const people = Array.from({ length: 20 }, (_, at) => ({ email: `person-${at}@crowd.example` }));

/** V1: runs that lock the same records in different orders. */
export const shuffledPeople = neighbour<Target>({
  name: 'V1',
  resource: 'locks of records',
  flood: `${deliveriesCount} deliveries at once, then ${perSecond} a second, that each upsert the same ${people.length} people in an order of its own`,
  allowed: 3,
  probes: ['run'],
  apps: ['webhook-ingest', 'workflow-worker'],
  prepare: ({ database }, { orgId }) =>
    createTarget(database, orgId, {
      definition: {
        name: 'upserts-people',
        inputs: { people: { type: 'array', required: true }, title: { type: 'string', required: true } },
        steps: [
          {
            id: 'each',
            use: 'for_each',
            with: { items: '${{ inputs.people }}' },
            steps: [
              {
                id: 'person',
                use: 'contact.upsert',
                with: {
                  match: { email: '${{ item.email }}' },
                  set: { first_name: 'One', last_name: 'Of Many', title: '${{ inputs.title }}' },
                },
              },
            ],
          },
        ],
      },
      inputs: { people: 'payload.people', title: 'payload.title' },
    }),
  async run({ urls, own, signal, count }) {
    using client = new HttpClient(urls['webhook-ingest']!);
    const deliver = async (turn: number) => {
      const body = { people: shuffled(people), title: `Number ${turn}` };
      count(`status ${await client.statusOf({ method: 'POST', path: own.path, headers: own.headers, body, signal })}`);
    };
    await Promise.all(Array.from({ length: deliveriesCount }, (_, turn) => deliver(turn)));
    await atPace(signal, perSecond, deliver);
  },
  hasEffect: areRunning,
  verify: allEnd,
});

/** Returns true once a worker has started many of the flood's runs. */
export async function areRunning({ bed, flooder, figures }: FloodView): Promise<boolean> {
  return figures['status 202']! >= deliveriesCount && (await countStartedRunsOf(bed.database, flooder.orgId)) >= 10;
}

export async function allEnd({ bed, flooder }: Aftermath): Promise<string[]> {
  const countOpen = () => countOpenRunsOf(bed.database, flooder.orgId);
  const areEnded = await until('all runs of the flood end', endWithinMs, async () => (await countOpen()) === 0).catch(
    () => false,
  );
  return areEnded ? [] : [`${await countOpen()} runs of the flood have not ended ${endWithinMs / 1_000} s after it`];
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, rank: Math.random() }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}
