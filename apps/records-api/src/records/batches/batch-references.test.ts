import { expect, test } from 'vitest';
import { statuses, setUpBatches } from './batch.harness.ts';

const { api, batch } = setUpBatches();

test('activities are created together, and their references are checked', async () => {
  const path = '/v1/activities/custom';
  const { contact } = api().tenant.ids;
  const items = [
    { content: 'Called', contact_ids: [contact] },
    { content: 'Theirs', contact_ids: [api().other.ids.contact] },
  ];
  const { body } = await batch('create', items, {}, { path });
  expect(statuses({ body })).toEqual([201, 400]);
  expect(body.data[1].error.details).toMatchObject([{ field: 'contact_ids', code: 'invalid_reference' }]);
  expect((await batch('update', [{}], {}, { path })).status).toBe(400);
});

test('opportunities follow their rules in a batch, and references are checked for each', async () => {
  const path = '/v1/records/opportunities';
  const { account, stage } = api().tenant.ids;
  const deal = { opportunity_name: 'Deal', account_id: account };
  const items = [
    { ...deal, stage_id: stage },
    { ...deal, account_id: api().other.ids.account },
    deal,
    { ...deal, stage_id: stage, pipeline: 'Other' },
  ];
  const { body } = await batch('create', items, {}, { path });
  expect(statuses({ body })).toEqual([201, 400, 201, 400]);
  expect(body.data[0].data.pipeline).toBeTruthy();
  const update = [
    { id: body.data[2].data.id, set: { stage_id: stage } },
    { id: body.data[0].data.id, set: { pipeline: 'Other' } },
  ];
  for (const more of [{}, { atomic: false }]) {
    const changed = await batch('update', update, more, { path });
    expect(statuses(changed)).toEqual([200, 400]);
    expect(changed.body.data[0].data.pipeline).toBe(body.data[0].data.pipeline);
  }
});
