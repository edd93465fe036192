import { MemoryWatch } from '@relata/testbed/memory';
import { median } from '@relata/testbed/quantile';
import { interleaved, type Measured } from '@relata/testbed/rounds';
import { say } from '@relata/testbed/suite-program';
import { acceptanceRounds, type Cost, type RoundsOptions } from './acceptance-rounds.ts';
import { type BatchSizes, batchesSince, readBatches } from './batches.ts';
import { connectionCounts } from './plan.ts';
import { type Assigned, assignedCounts, type IngestDatabase } from './ingest-database.ts';

/** Figures of the floor and of Relata, which stores the posts of several kinds of senders. */
type Measurements = Record<'floor' | 'relata', Measured> &
  // Measured if a delivery starts one workflow: while NATS is unreachable, and for each kind of sender.
  Partial<Record<'natsAway' | keyof IngestDatabase['senders'], Measured>>;

export type Acceptance = Measurements & {
  assigned: Assigned;
  connections: number;
  batches: BatchSizes;
  cost: Cost;
};

type AcceptanceOptions = Pick<RoundsOptions, 'bed' | 'database' | 'load' | 'plan'>;

const prefix = 'acceptance';

/** Compares the receiver's accepted posts per second with those of a receiver that stores nothing. No worker runs. */
export async function measureAcceptance({ bed, database, load, plan }: AcceptanceOptions) {
  // The worker creates the NATS stream. Without the stream, NATS would have nothing to do.
  await (await bed.startWorker(database, { prefix }))[Symbol.asyncDispose]();
  await using floor = await bed.startFloor(database, { prefix });
  await using relata = await bed.startReceiver(database, { prefix });
  await using natsAway = await bed.startReceiver(database, { prefix, isNatsAway: true });
  using memory = new MemoryWatch(relata.pid);

  const measure = async (assigned: Assigned, connections: number): Promise<Acceptance> => {
    say(`accepting, workflows: ${assigned}, connections: ${connections}`);
    const at = { bed, database, load, plan, connections, target: database.targets[assigned], isStored: true };
    const ofRelata = acceptanceRounds({ ...at, service: relata });
    const senders = Object.entries(database.senders).map(
      ([name, target]) => [name, acceptanceRounds({ ...at, target, service: relata })] as const,
    );
    const all = {
      floor: acceptanceRounds({ ...at, service: floor, isStored: false }),
      relata: ofRelata,
      ...(assigned === 1 && {
        natsAway: acceptanceRounds({ ...at, service: natsAway }),
        ...Object.fromEntries(senders),
      }),
    };
    for (const { prepare } of Object.values(all)) await prepare();
    const before = await readBatches(relata);
    const measures = Object.entries(all).map(([name, rounds]) => [name, rounds.measure] as const);
    const measured = (await interleaved(plan.rounds, Object.fromEntries(measures))) as Measurements;
    const batches = batchesSince(before, await readBatches(relata));
    return { assigned, connections, ...measured, batches, cost: medianCost(ofRelata.costs) };
  };

  const acceptances: Acceptance[] = [];
  for (const assigned of assignedCounts)
    for (const connections of connectionCounts) acceptances.push(await measure(assigned, connections));
  return { acceptances, residentBytesMax: memory.maxBytes };
}

function medianCost(costs: readonly Cost[]): Cost {
  const of = (user: keyof Cost) => median(costs.map((cost) => cost[user]));
  return { receiver: of('receiver'), postgres: of('postgres'), nats: of('nats') };
}
