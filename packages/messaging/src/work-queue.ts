import { z } from 'zod';

/** A queue whose messages go to one process each. Losing one only makes something happen later. */
export interface WorkQueue<Message> {
  stream: string;
  subject: string;
  /** The durable consumer that all workers of the queue share. */
  consumer: string;
  schema: z.ZodType<Message>;
}

/** Maximum number of runs in one message: a burst is spread over workers rather than given to one. */
export const runsPerMessageMax = 16;

/**
 * Runs that wait to be claimed: pairs of organization and run. Sent by `DeliveryStore` (webhook-ingest) and
 * `run.operations.ts` (packages/workflows), received by `Worker.#receive` (workflow-worker). A message does not tell
 * whether the workflow limits its runs.
 */
export const runsReady: WorkQueue<{ runs: [orgId: string, runId: string][] }> = {
  stream: 'runs',
  subject: 'runs.ready',
  consumer: 'workers',
  schema: z.object({ runs: z.array(z.tuple([z.guid(), z.guid()])).max(runsPerMessageMax) }),
};
