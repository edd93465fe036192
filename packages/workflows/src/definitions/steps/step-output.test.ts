import { expect, test } from 'vitest';
import { faultLines, exampleWorkflow } from '../definition.harness.ts';

const post = { use: 'channel.post', with: { text: 'x' } };
const account = { id: 'r', use: 'account.create', with: { set: { account_name: 'x' } } };
const contact = { ...account, use: 'contact.create', with: { set: { first_name: 'x', last_name: 'y' } } };
const upsert = { ...account, use: 'account.upsert', with: { match: { domain: 'x' } } };
const find = { ...account, use: 'opportunity.find', with: { match: { crm_id: 'x' } } };
const activity = { ...account, use: 'activity.create', with: { content: 'x' } };
const call = { ...account, use: 'http.request', with: { method: 'GET', url: 'https://a.example' } };
const posting = { ...account, ...post };
const wait = { ...account, use: 'delay', with: { for: '1s' } };
const loop = { ...account, use: 'for_each', with: { items: [] }, steps: [{ id: 'inner', ...post }] };
const asked = (step: object, member: string) =>
  faultLines(exampleWorkflow([step, { use: 'channel.post', with: { text: `\${{ steps.r${member} }}` } }]));

test.for<[object, string[]]>([
  [account, ['.id', '.account_name', '["domain"]', '.tags[0]', '.crm_id', '.created_at', '.updated_at']],
  [contact, ['.id', '.first_name', '.email']],
  [upsert, ['.id', '.action']],
  [find, ['.id', '.stage_id', '.amount', '']],
  [activity, ['.id', '.interaction_type', '.contact_ids[0]']],
  [call, ['.status', '.headers["x-a"]', '.json.a[0].b', '.body']],
  [posting, ['.ok']],
  [wait, ['.woke_at']],
  [loop, ['', '[0].anything', '.size()']],
])('the output of %j has %j', ([step, members]) => {
  expect(members.flatMap((member) => asked(step, member))).toEqual([]);
});

test.for<[object, string, string]>([
  [account, '.acount_name', 'no field acount_name. Did you mean account_name?'],
  [account, '.action', 'no field action.'],
  [account, '.email', 'no field email.'],
  [contact, '["nope"].x', 'no field nope.'],
  [upsert, '.acton', 'Did you mean action?'],
  [find, '.action', 'no field action.'],
  [activity, '.contact_id', 'Did you mean contact_ids?'],
  [call, '.data', 'no field data. Available: status, headers, json, body.'],
  [posting, '.id', 'no field id. Available: ok.'],
  [wait, '.until', 'no field until. Available: woke_at.'],
  [loop, '.ok', 'is a list and has no field ok.'],
])('the output of %j has no %s', ([step, member, expected]) => {
  expect(asked(step, member)).toEqual([expect.stringMatching(/^steps\[1\]\.with\.text: The output of the step r /)]);
  expect(asked(step, member)[0]).toContain(expected);
});

test('a step of an unknown kind is reported once, whatever is read from it', () => {
  expect(asked({ ...account, use: 'account.creat' }, '.anything')).toEqual([
    expect.stringMatching(/^steps\[0\]\.use: /),
  ]);
});
