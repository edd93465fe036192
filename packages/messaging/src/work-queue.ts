import { z } from 'zod';

/** A queue whose messages go to one process each. If a message is lost, its work only starts later. */
export interface WorkQueue<Message> {
  stream: string;
  subject: string;
  /** The durable consumer that all workers of the queue share. */
  consumer: string;
  schema: z.ZodType<Message>;
}

/** Maximum number of runs in one message, so that a burst is spread over several workers. */
export const runsPerMessageMax = 16;

/**
 * Runs that wait to be claimed: pairs of organization and run. Sent by `DeliveryStore` (webhook-ingest) and
 * `run.operations.ts` (packages/workflows), received by `Worker.#receive` (workflow-worker). A message does not say
 * whether the workflow limits its concurrent runs.
 */
export const runsReady: WorkQueue<{ runs: [orgId: string, runId: string][] }> = {
  stream: 'runs',
  subject: 'runs.ready',
  consumer: 'workers',
  schema: z.object({ runs: z.array(z.tuple([z.guid(), z.guid()])).max(runsPerMessageMax) }),
};
