import { expect, test } from 'vitest';
import { startOutside } from '../outside.harness.ts';
import { startWorkflows } from '../workflow-worker.harness.ts';

test("posts a message to the team's channel with the name of its organization", async () => {
  await using outside = await startOutside((response) => response.end('ok'));
  await using own = await startWorkflows();
  await own.openWorker({ channelUrl: outside.url });
  const post = { id: 'post', use: 'channel.post', with: { text: 'New lead: ${{ inputs.name }}' } };
  const posting = { name: 'posting', inputs: { name: { type: 'string' } }, steps: [post] };
  const run = await own.run(posting, { inputs: { name: '<!channel>' } });
  expect(run.steps).toMatchObject([{ status: 'succeeded', output: { ok: true } }]);
  expect(outside.received[0]!.body).toContain('New lead');
  expect(outside.received[0]!.body).toContain('Organization: Acme');
});
