import { z } from 'zod';
import { dataOf, listOf, listQuery } from './list.ts';
import { operation } from './operation.ts';
import { pathId } from './path-id.ts';
import { nullish, optional, readOnlyFields, recordFields } from './record.ts';
import { lineText, nameText, tags, text } from './text.ts';

const relationshipTypes = ['prospect', 'customer', 'partner', 'investor'] as const;
const salesStatuses = ['lead', 'working', 'pipeline', 'renewal_growth', 'closed_lost', 'churned'] as const;

const required = {
  account_name: nameText().meta({ description: 'Name of the company.' }),
};

const plain = {
  domain: lineText().meta({ description: 'Domain of its website.' }),
  linkedin_url: lineText(),
  address: lineText(),
  city: lineText(),
  state: lineText(),
  country: lineText(),
  relationship_type: z.enum(relationshipTypes),
  sales_status: z.enum(salesStatuses),
  icp_label: lineText().meta({ description: 'How well it fits the ideal customer profile.' }),
};

const { id, ...trailing } = recordFields;

export const Account = z
  .object({ id, ...required, ...optional(plain), tags: tags(), ...trailing })
  .meta({ id: 'Account', description: 'A company.' });

const writable = nullish({ ...plain, tags: tags() });

const example = {
  account_name: 'Example Robotics',
  domain: 'robotics.example',
  city: 'Zürich',
  country: 'Switzerland',
  relationship_type: 'prospect',
  sales_status: 'lead',
  tags: ['inbound', 'robotics'],
};

export const AccountCreate = z
  .strictObject({ ...readOnlyFields, ...required, ...writable })
  .meta({ id: 'AccountCreate', examples: [example] });

export const AccountUpdate = z
  .strictObject({ ...readOnlyFields, ...optional(required), ...writable })
  .meta({ id: 'AccountUpdate', examples: [{ sales_status: 'working', icp_label: null }] });

export type Account = z.output<typeof Account>;

const shared = { tag: 'Accounts' } as const;

export const listAccounts = operation({
  ...shared,
  id: 'listAccounts',
  method: 'get',
  path: '/v1/records/accounts',
  summary: 'List accounts',
  description: 'In ascending order of id, which is the order of creation.',
  scope: 'records:read',
  query: listQuery({
    domain: text({ max: 2_048 }).optional().meta({ description: 'The whole domain, in any case of letters.' }),
  }),
  success: { status: 200, description: 'A page of accounts.', body: listOf(Account) },
});

export const createAccount = operation({
  ...shared,
  id: 'createAccount',
  method: 'post',
  path: '/v1/records/accounts',
  summary: 'Create an account',
  scope: 'records:write',
  body: AccountCreate,
  example,
  success: { status: 201, description: 'The account, created.', body: dataOf(Account) },
});

export const getAccount = operation({
  ...shared,
  id: 'getAccount',
  method: 'get',
  path: '/v1/records/accounts/{id}',
  summary: 'Read an account',
  scope: 'records:read',
  params: pathId,
  success: { status: 200, description: 'The account.', body: dataOf(Account) },
});

export const updateAccount = operation({
  ...shared,
  id: 'updateAccount',
  method: 'patch',
  path: '/v1/records/accounts/{id}',
  summary: 'Change an account',
  description: 'A JSON merge patch: what is absent stays, `null` clears an optional field, arrays are replaced whole.',
  scope: 'records:write',
  params: pathId,
  body: AccountUpdate,
  example: { sales_status: 'working', icp_label: null },
  success: { status: 200, description: 'The account, as it is now.', body: dataOf(Account) },
});
