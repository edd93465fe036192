import { z } from 'zod';
import { instant } from './instant.ts';
import { dataOf, listOf, listQuery } from './list.ts';
import { amount } from './numbers.ts';
import { operation } from './operation.ts';
import { pathId } from './path-id.ts';
import { nullish, optional, readOnlyFields, recordFields } from './record.ts';
import { nameText, tags, uuid } from './text.ts';

const required = {
  opportunity_name: nameText(),
  account_id: uuid().meta({ description: 'The account it belongs to.' }),
};

const plain = {
  amount: amount(),
  stage_id: uuid().meta({ description: 'The stage it stands at.' }),
  pipeline: nameText().meta({ description: "Pipeline name; the stage's, where only `stage_id` is given." }),
};

const closeDate = { close_date: instant() };

const { id, ...trailing } = recordFields;

export const Opportunity = z
  .object({
    id,
    ...required,
    tags: tags(),
    ...optional(plain),
    close_date: instant().nullable(),
    ...trailing,
  })
  .meta({ id: 'Opportunity', description: 'A possible sale to an account.' });

const writable = nullish({ tags: tags(), ...plain, ...closeDate });

const example = {
  opportunity_name: 'Forty arms for the new line',
  account_id: '019a1b2c-0000-7000-8000-000000000001',
  amount: 125_000.5,
  close_date: '2026-12-31T17:00:00Z',
};

export const OpportunityCreate = z
  .strictObject({ ...readOnlyFields, ...required, ...writable })
  .meta({ id: 'OpportunityCreate', examples: [example] });

export const OpportunityUpdate = z
  .strictObject({ ...readOnlyFields, ...optional(required), ...writable })
  .meta({ id: 'OpportunityUpdate', examples: [{ amount: 140_000, close_date: null }] });

export type Opportunity = z.output<typeof Opportunity>;

const shared = { tag: 'Opportunities' } as const;

export const listOpportunities = operation({
  ...shared,
  id: 'listOpportunities',
  method: 'get',
  path: '/v1/records/opportunities',
  summary: 'List opportunities',
  description: 'In ascending order of id, which is the order of creation.',
  scope: 'records:read',
  query: listQuery({ account_id: uuid().optional().meta({ description: 'Only those of this account.' }) }),
  success: { status: 200, description: 'A page of opportunities.', body: listOf(Opportunity) },
});

export const createOpportunity = operation({
  ...shared,
  id: 'createOpportunity',
  method: 'post',
  path: '/v1/records/opportunities',
  summary: 'Create an opportunity',
  description: 'With `stage_id` and no `pipeline`, the name of the pipeline of the stage is stored.',
  scope: 'records:write',
  body: OpportunityCreate,
  example,
  success: { status: 201, description: 'The opportunity, created.', body: dataOf(Opportunity) },
});

export const getOpportunity = operation({
  ...shared,
  id: 'getOpportunity',
  method: 'get',
  path: '/v1/records/opportunities/{id}',
  summary: 'Read an opportunity',
  scope: 'records:read',
  params: pathId,
  success: { status: 200, description: 'The opportunity.', body: dataOf(Opportunity) },
});

export const updateOpportunity = operation({
  ...shared,
  id: 'updateOpportunity',
  method: 'patch',
  path: '/v1/records/opportunities/{id}',
  summary: 'Change an opportunity',
  description: 'A JSON merge patch: what is absent stays, `null` clears an optional field, arrays are replaced whole.',
  scope: 'records:write',
  params: pathId,
  body: OpportunityUpdate,
  example: { amount: 140_000, close_date: null },
  success: { status: 200, description: 'The opportunity, as it is now.', body: dataOf(Opportunity) },
});
