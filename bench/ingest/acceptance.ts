import type { LoadProcess } from '@relata/testbed/load-process';
import { MemoryWatch } from '@relata/testbed/memory';
import { median } from '@relata/testbed/quantile';
import { interleaved, type Measured } from '@relata/testbed/rounds';
import { say } from '@relata/testbed/suite-program';
import { AcceptanceRounds, type Cost } from './acceptance-rounds.ts';
import { type BatchSizes, batchesSince, readBatches } from './batches.ts';
import { connectionCounts, type IngestPace } from './pace.ts';
import { type Assigned, assignedCounts, type Site, type Target } from './site.ts';
import type { TestBed } from './test-bed.ts';

export interface Acceptance {
  assigned: Assigned;
  connections: number;
  floor: Measured;
  relata: Measured;
  /** Relata's figures while NATS is unreachable; measured if a delivery starts one workflow. */
  natsAway: Measured | undefined;
  /** Relata's figures for each kind of sender; measured if a delivery starts one workflow. */
  senders: Senders | undefined;
  batches: BatchSizes;
  cost: Cost;
}

type Senders = Record<keyof Site['senders'], Measured>;

interface AcceptanceOptions {
  bed: TestBed;
  site: Site;
  load: LoadProcess;
  pace: IngestPace;
}

const prefix = 'acceptance';

/** Compares the receiver's accepted posts per second with those of a receiver that stores nothing. No worker runs. */
export async function measureAcceptance({ bed, site, load, pace }: AcceptanceOptions) {
  // The worker creates the NATS stream. Without the stream, NATS would have nothing to do.
  await (await bed.startWorker(site, { prefix }))[Symbol.asyncDispose]();
  await using floor = await bed.startFloor(site, { prefix });
  await using relata = await bed.startReceiver(site, { prefix });
  await using natsAway = await bed.startReceiver(site, { prefix, isNatsAway: true });
  using memory = new MemoryWatch(relata.pid);

  const measure = async (assigned: Assigned, connections: number): Promise<Acceptance> => {
    say(`accepting, workflows: ${assigned}, connections: ${connections}`);
    const at = { bed, site, load, pace, connections, target: site.targets[assigned] };
    const ofFloor = new AcceptanceRounds({ ...at, service: floor, isStored: false });
    const ofRelata = new AcceptanceRounds({ ...at, service: relata, isStored: true });
    const ofAway = new AcceptanceRounds({ ...at, service: natsAway, isStored: true });
    const ofSender = (sender: Target) =>
      new AcceptanceRounds({ ...at, target: sender, service: relata, isStored: true });
    const { senders: each } = site;
    const ofOne = {
      natsAway: ofAway,
      secret: ofSender(each.secret),
      signed: ofSender(each.signed),
      secretWithId: ofSender(each.secretWithId),
      signedWithId: ofSender(each.signedWithId),
    };
    const all = { floor: ofFloor, relata: ofRelata, ...(assigned === 1 && ofOne) };
    for (const rounds of Object.values(all)) await rounds.prepare();
    const before = await readBatches(relata);
    const things = Object.entries(all).map(([name, rounds]) => [name, () => rounds.measure()] as const);
    const measured = await interleaved(pace.rounds, Object.fromEntries(things));
    const batches = batchesSince(before, await readBatches(relata));
    const { floor: least, relata: own } = measured as Record<'floor' | 'relata', Measured>;
    const { natsAway: away, secret, signed, secretWithId, signedWithId } = measured;
    const senders = secret && signed && secretWithId && signedWithId && { secret, signed, secretWithId, signedWithId };
    const cost = medianCost(ofRelata.costs);
    return { assigned, connections, floor: least, relata: own, natsAway: away, senders, batches, cost };
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
