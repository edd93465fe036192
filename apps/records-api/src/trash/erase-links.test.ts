import { newId } from '@relata/db';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EraseApi, startEraseApi } from './erase.harness.ts';
import { findTraces } from './traces.harness.ts';

let api: EraseApi;
beforeAll(async () => {
  api = await startEraseApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const none = { activities: 0, merged_records: 0 };

describe('links and activities', () => {
  test('links to an erased record are cleared with events; activities keep their text', async () => {
    const person = await api.makePerson();
    const [deal, activity] = [
      await api.make('opportunities', { contact_ids: [person.id] }),
      await api.make('activities', { contact_ids: [person.id], content: 'Kept text' }),
    ];
    const { body, headers } = await api.erase('contacts', person.id);
    expect(body.meta).toMatchObject({ ...none, unlinked: { opportunities: 1, activities: 1 } });
    expect((await api.get('opportunities', deal.id)).body.data.contact_ids).toBeUndefined();
    expect((await api.get('activities', activity.id)).body.data).toMatchObject({
      content: 'Kept text',
      contact_ids: [],
    });
    expect((await api.history('activities', activity.id)).at(-1)).toMatchObject({
      type: 'activity.updated',
      request_id: headers.get('x-request-id'),
      previous: { contact_ids: [person.id] },
    });
  });

  test('activities=true erases all linked activities, also if they were deleted before or after the link was cleared', async () => {
    const person = await api.makePerson();
    const other = await api.makePerson();
    const make = (ids: string[]) => api.make('activities', { content: `About ${person.names[0]}`, contact_ids: ids });
    const activities = [await make([person.id]), await make([other.id, person.id]), await make([person.id])];
    await api.remove('activities', activities[0]!.id);
    const stays = await api.make('activities', { content: 'Other', contact_ids: [other.id] });
    await api.remove('contacts', person.id);
    await api.remove('activities', activities[2]!.id);
    const { body } = await api.erase('contacts', person.id, '&activities=true');
    expect(body.meta).toMatchObject({ activities: 3, unlinked: { activities: 0 } });
    expect(await api.tracesOf(person)).toEqual([]);
    for (const { id } of activities)
      expect((await api.history('activities', id)).at(-1)).toMatchObject({ type: 'activity.erased', erased: true });
    expect((await api.get('activities', stays.id)).status).toBe(200);
    expect((await api.get('contacts', other.id)).status).toBe(200);
  });

  test('an activity can be erased itself', async () => {
    const text = `About ${newId()}`;
    const { id } = await api.make('activities', { content: text });
    const { body } = await api.erase('activities', id);
    expect(body.meta).toEqual({ action: 'erased', events: 1, ...none, unlinked: {} });
    expect(await findTraces(api, text)).toEqual([]);
  });
});

describe('an account with opportunities', () => {
  test('is not erased, unless cascade=true erases them, also those that its delete included', async () => {
    const name = `Robotics ${newId()}`;
    const account = await api.make('accounts', { account_name: name });
    const contact = await api.make('contacts', { account_id: account.id });
    const make = () => api.make('opportunities', { opportunity_name: name, account_id: account.id });
    await make();
    expect(await api.erase('accounts', account.id)).toMatchObject({
      status: 409,
      error: { error: 'in_use', used_by: { opportunities: 1 } },
    });
    const activity = await api.make('activities', { opportunity_ids: [(await make()).id] });
    await api.remove('accounts', account.id, '?cascade=true');
    await api.restore(account.id);
    await make();
    const trial = await api.erase('accounts', account.id, '&cascade=true&dry_run=true');
    const { body } = await api.erase('accounts', account.id, '&cascade=true');
    expect(trial.body).toEqual({ ...body, meta: { ...body.meta, dry_run: true } });
    expect(body.meta).toMatchObject({ unlinked: { contacts: 1, activities: 1 }, erased: { opportunities: 3 } });
    expect(await findTraces(api, name)).toEqual([]);
    expect((await api.get('contacts', contact.id)).body.data.account_id).toBeUndefined();
    expect((await api.get('activities', activity.id)).body.data.opportunity_ids).toEqual([]);
    expect(await api.countDangling()).toBe(0);
  });

  test('in the trash is erased together with the opportunities that its delete included', async () => {
    const name = `Robotics ${newId()}`;
    const account = await api.make('accounts', { account_name: name });
    await api.make('opportunities', { opportunity_name: name, account_id: account.id });
    await api.remove('accounts', account.id, '?cascade=true');
    expect((await api.erase('accounts', account.id, '&cascade=true')).body.meta.erased).toEqual({ opportunities: 1 });
    expect(await findTraces(api, name)).toEqual([]);
  });
});
