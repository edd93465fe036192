import { afterAll, beforeAll, expect, test } from 'vitest';
import { startOutside } from '../outside.harness.ts';
import { startWorkflows } from '../workflow-worker.harness.ts';

let workflows: Awaited<ReturnType<typeof startWorkflows>>;
beforeAll(async () => {
  workflows = await startWorkflows();
  await workflows.openWorker();
});
afterAll(() => workflows[Symbol.asyncDispose]());

const { rawJSON } = JSON as unknown as { rawJSON(text: string): object };

test('S.8: steps read all digits of a whole number beyond 2^53', async () => {
  const log = (id: string, content: string) => ({ id, use: 'activity.create', with: { content } });
  const steps = [
    log('alone', '${{ payload.id }}'),
    log('within', 'Order ${{ payload.id }} of ${{ payload.customer }}'),
    { ...log('compared', 'the same'), when: 'payload.id == 820982911946154508' },
    { ...log('other', 'not the same'), when: 'payload.id == 820982911946154507' },
  ];
  const id = rawJSON('820982911946154508');
  const run = await workflows.run({ name: 'large', steps }, { payload: { id, customer: { id } } });
  expect(run.steps).toMatchObject([
    { output: { content: '820982911946154508' } },
    { output: { content: 'Order 820982911946154508 of {"id":"820982911946154508"}' } },
    { status: 'succeeded' },
    { status: 'skipped' },
  ]);
});

test('all digits of a whole number beyond 2^53 in a response reach the journal and later steps, also after a delay', async () => {
  await using outside = await startOutside((response) =>
    response.setHeader('content-type', 'application/json').end('{"order":{"id":820982911946154508}}'),
  );
  const log = (id: string) => ({
    id,
    use: 'activity.create',
    when: 'steps.call.json.order.id == string(payload.id)',
    with: { content: 'Order ${{ steps.call.json.order.id }}' },
  });
  const steps = [
    { id: 'call', use: 'http.request', with: { method: 'GET', url: outside.url } },
    log('soon'),
    { id: 'wait', use: 'delay', with: { for: '10ms' } },
    log('later'),
  ];
  const payload = { id: rawJSON('820982911946154508') };
  const run = await workflows.run({ name: 'large-answer', steps }, { payload });
  expect(run.steps).toMatchObject([
    { output: { json: { order: { id: '820982911946154508' } } } },
    { output: { content: 'Order 820982911946154508' } },
    { status: 'succeeded' },
    { output: { content: 'Order 820982911946154508' } },
  ]);
});
