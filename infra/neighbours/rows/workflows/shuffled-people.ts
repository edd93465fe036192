import { deliver } from '../../flood/requests.ts';
import { type FloodView, neighbour } from '../../neighbour.ts';
import { createTestTrigger, requiredText, type TestTrigger, workflowOf } from '@relata/testbed/fixtures';
import { allSucceed, countStarted } from './flood-runs.ts';

const deliveriesCount = 40;
/** Number of deliveries per second after the start, so that runs are always active. */
const perSecond = 10;

const people = Array.from({ length: 20 }, (_, at) => ({ email: `person-${at}@crowd.example` }));

export const shuffledPeople = neighbour<TestTrigger>({
  name: 'V1',
  flood: `${deliveriesCount} deliveries at once, then ${perSecond} a second, each upserting the same ${people.length} people in a different order`,
  probes: ['run'],
  apps: ['webhook-ingest', 'workflow-worker'],
  prepare({ database }, { orgId }) {
    const set = { first_name: 'One', last_name: 'Of Many', title: '${{ inputs.title }}' };
    const upsert = { id: 'person', use: 'contact.upsert', with: { match: { email: '${{ item.email }}' }, set } };
    const each = { id: 'each', use: 'for_each', with: { items: '${{ inputs.people }}' }, steps: [upsert] };
    const inputs = { people: { type: 'array', required: true }, title: requiredText };
    return createTestTrigger(database, orgId, { assigned: [workflowOf('upserts-people', inputs, each)] });
  },
  responses: { status: [202] },
  run: (context) =>
    deliver(context, context.own, { atOnce: deliveriesCount, perSecond }, (turn) => ({
      people: shuffled(people),
      title: `Number ${turn}`,
    })),
  hasEffect: areRunning,
  verify: allSucceed,
});

/** Returns true once a worker has started many of the flood's runs. */
export async function areRunning(view: FloodView): Promise<boolean> {
  return view.figures['status 202']! >= deliveriesCount && (await countStarted(view)) >= 10;
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, rank: Math.random() }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}
