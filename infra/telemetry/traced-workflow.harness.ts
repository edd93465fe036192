import { createOrganization } from '@relata/auth';
import type { Database } from '@relata/db';
import { noopBus, operatorActor } from '@relata/events';
import { until } from '@relata/testing';
import { applyWorkflow, assignWorkflow, createTrigger } from '@relata/workflows';
import { listRuns, type Run } from '@relata/workflows/runs';
import { expect } from 'vitest';

/** Text that must never be exported in a trace. It occurs in keys, bodies, headers, queries, paths and values. */
export const marker = 'zq7marker';

/** Returns a workflow that writes a record, calls another system, waits, and writes again. */
const definition = (calledUrl: string) => ({
  name: 'traced',
  inputs: { email: { type: 'string' } },
  steps: [
    { id: 'note', use: 'activity.create', with: { content: 'From ${{ inputs.email }}' } },
    {
      id: 'call',
      use: 'http.request',
      with: {
        url: `${calledUrl}/${marker}?q=${marker}`,
        method: 'POST',
        headers: { 'x-key': marker },
        json: { email: '${{ inputs.email }}' },
      },
      retry: { max_attempts: 3, initial_delay: '50ms' },
    },
    { id: 'rest', use: 'delay', with: { for: '50ms' } },
    { id: 'done', use: 'activity.create', with: { content: 'Done with ${{ inputs.email }}' } },
  ],
});

/** Creates an organization with a trigger that starts the workflow. */
export async function createTracedWorkflow(database: Database, calledUrl: string) {
  const { id: orgId } = await createOrganization(database, `${marker} organization`);
  const [context, actor] = [{ database, bus: noopBus }, operatorActor(orgId, 'test')];
  const { trigger, secret } = await createTrigger(context, actor, { name: `${marker} form` });
  const { applied } = await applyWorkflow(context, actor, definition(calledUrl));
  await assignWorkflow(context, actor, {
    triggerId: trigger.id,
    workflowId: applied.id,
    inputs: { email: 'payload.email' },
  });
  return {
    orgId,
    /** Posts a delivery like another system. */
    deliver: async (url: string, headers: Record<string, string> = {}) => {
      const response = await fetch(`${url}/webhooks/trigger/${trigger.id}?token=${marker}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-webhook-secret': secret!, 'x-note': marker, ...headers },
        body: JSON.stringify({ email: `${marker}@example.com` }),
      });
      expect(response.status).toBe(202);
    },
    /** Returns the runs once all have succeeded. */
    succeeded: (count: number): Promise<Run[]> =>
      until(async () => {
        const runs = await listRuns(database, orgId, { limit: 100 });
        expect(runs.map(({ status }) => status)).toEqual(Array.from({ length: count }, () => 'succeeded'));
        return runs;
      }),
  };
}
