import { setPriority } from 'node:os';
import type { FloodJob, FloodMessage } from './flood.ts';
import { neighbours } from '../neighbours.ts';

/**
 * Lowest priority. Real clients have machines of their own, so the flood gets only the CPU time that service and probes
 * leave.
 */
const niceness = 19;

const reportEveryMs = 50;

const send = (message: FloodMessage) => process.send?.(message);
const stop = new AbortController();
process.once('disconnect', () => process.exit());
process.on('SIGTERM', () => stop.abort());
setPriority(niceness);

process.once('message', (job: FloodJob) => void flood(job));

async function flood({ row, service, own }: FloodJob): Promise<void> {
  const figures: Record<string, number> = {};
  const count = (figure: string, by = 1) => {
    // Counts nothing after the end of the flood, which cuts off requests in flight.
    if (stop.signal.aborted) return;
    figures[figure] = (figures[figure] ?? 0) + by;
  };
  const reporting = setInterval(() => send({ figures }), reportEveryMs);
  try {
    await neighbours.find(({ name }) => name === row)!.run({ ...service, own, signal: stop.signal, count });
    send({ figures });
  } catch (error) {
    send({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
  clearInterval(reporting);
  process.disconnect?.();
}
