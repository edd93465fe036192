import { deliver } from '../../flood/requests.ts';
import { neighbour } from '../../neighbour.ts';
import { createTestTrigger, requiredText, type TestTrigger, workflowOf } from '@relata/testbed/fixtures';
import { countStarted } from './flood-runs.ts';
import { slowDomain } from './slow-domain.ts';

const postsCount = 64;

/** Tests that look-ups whose name servers do not answer leave threads for other names. */
export const slowNames = neighbour<TestTrigger>({
  name: 'slow-names',
  flood: `${postsCount} deliveries whose workflow calls a host name that the name server never resolves`,
  probes: ['call'],
  apps: ['webhook-ingest', 'workflow-worker'],
  settings: { NODE_OPTIONS: `--import=${new URL('./slow-names-preload.ts', import.meta.url).href}` },
  prepare({ database }, { orgId }) {
    const call = { id: 'call', use: 'http.request', with: { method: 'GET', url: '${{ inputs.url }}' }, timeout: '30s' };
    return createTestTrigger(database, orgId, {
      assigned: [workflowOf('calls-slow-names', { url: requiredText }, call)],
    });
  },
  responses: { status: [202] },
  run: (context) =>
    deliver(context, context.own, { atOnce: postsCount }, (turn) => ({ url: `http://host-${turn}.${slowDomain}/` })),
  // One thread is occupied, and the organization can occupy no more.
  hasEffect: async (view) =>
    view.figures['status 202'] === postsCount && view.outside.heldNames >= 1 && (await countStarted(view)) >= 8,
});
