import { until } from '@relata/testbed/until';
import type { Aftermath, FloodView } from '../../neighbour.ts';
import { countRunsOf } from '../../test-bed/party.sql.ts';

const endWithinMs = 30_000;
const openStates = new Set(['queued', 'running', 'waiting']);

/** Counts the flood's runs that a worker has started at least once. */
export async function countStarted({ bed, flooder }: FloodView): Promise<number> {
  const { queued, ...started } = await countRunsOf(bed.database, flooder.orgId);
  return Object.values(started).reduce((sum, count) => sum + count, 0);
}

/** Returns a line for each final state of the flood's runs other than `expected`, with the number of runs. */
export async function findOtherEndings({ bed, flooder }: FloodView, expected: string): Promise<string[]> {
  const ended = Object.entries(await countRunsOf(bed.database, flooder.orgId));
  return ended
    .filter(([state]) => state !== expected && !openStates.has(state))
    .map(([state, count]) => `${count} runs of the flood ended as ${state}, not as ${expected}`);
}

/** Returns problems unless all runs of the flood succeed soon after its end. */
export async function allSucceed(aftermath: Aftermath): Promise<string[]> {
  const { bed, flooder } = aftermath;
  const countOpen = async () => {
    const states = Object.entries(await countRunsOf(bed.database, flooder.orgId));
    return states.reduce((sum, [state, count]) => (openStates.has(state) ? sum + count : sum), 0);
  };
  const areEnded = await until('all runs of the flood end', async () => (await countOpen()) === 0, endWithinMs).catch(
    () => false,
  );
  const others = await findOtherEndings(aftermath, 'succeeded');
  if (areEnded) return others;
  return [...others, `${await countOpen()} runs of the flood have not ended ${endWithinMs / 1_000} s after it`];
}
