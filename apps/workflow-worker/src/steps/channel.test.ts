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

test('a text that is an object, a list or a number is posted as JSON; a text without a value fails the step', async () => {
  await using outside = await startOutside((response) => response.end('ok'));
  await using own = await startWorkflows();
  await own.openWorker({ channelUrl: outside.url });
  const post = (id: string, text: string) => ({ id, use: 'channel.post', on_error: 'continue', with: { text } });
  const steps = [
    post('object', '${{ payload.user }}'),
    post('list', '${{ payload.tags }}'),
    post('number', '${{ payload.seats }}'),
    post('absent', '${{ payload.none }}'),
    post('empty', '${{ payload.empty }}'),
  ];
  const payload = { user: { name: 'Ada' }, tags: ['a', 'b'], seats: 12, none: null, empty: '' };
  const run = await own.run({ name: 'posting', steps }, { payload });
  expect(run.steps.map(({ path, error }) => [path, error?.code])).toEqual([
    ['object', undefined],
    ['list', undefined],
    ['number', undefined],
    ['absent', 'invalid_text'],
    ['empty', 'invalid_text'],
  ]);
  const posted = outside.received.map(({ body }) => JSON.stringify(JSON.parse(body)));
  for (const [i, text] of ['{"name":"Ada"}', '["a","b"]', '12'].entries())
    expect(posted[i]).toContain(JSON.stringify(text).slice(1, -1));
  expect(posted).toHaveLength(3);
});

test('an attempt ends at the timeout of its step if the channel does not respond', async () => {
  await using outside = await startOutside(() => undefined);
  await using own = await startWorkflows();
  await own.openWorker({ channelUrl: outside.url });
  const slow = { id: 'slow', use: 'channel.post', with: { text: 'x' }, timeout: '100ms', retry: { max_attempts: 1 } };
  const run = await own.run({ name: 'posting', steps: [slow] }, { status: 'failed' });
  expect(run.error).toMatchObject({ step: 'slow', code: 'timeout' });
});
