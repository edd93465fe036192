import type { z } from 'zod';
import { defaulted, nullable, optional, required } from '../fields/field.ts';
import { instantOrDate } from '../fields/instant.ts';
import { amount } from '../fields/numbers.ts';
import { ofRange, ofValue } from '../lists/list-spec.ts';
import { summaryOperation } from '../lists/summary.ts';
import { resource } from '../resource.ts';
import { account } from './account.ts';
import { pipeline } from './pipeline.ts';
import { stage } from './stage.ts';
import { user } from './user.ts';
import { nameText, tags, uuid, uuids } from '../fields/text.ts';

const declared = resource({
  name: 'opportunity',
  plural: 'opportunities',
  tag: { name: 'Opportunities', description: 'Potential sales.' },
  description: 'A potential sale to an account.',
  fields: {
    opportunity_name: required(nameText()),
    account_id: required(uuid().meta({ description: 'The account it belongs to.' })),
    tags: defaulted(tags()),
    amount: optional(amount()),
    close_date: nullable(
      instantOrDate().meta({ description: 'A plain date, such as `2026-12-31`, is also accepted: midnight in UTC.' }),
    ),
    stage_id: optional(uuid().meta({ description: 'The stage that it has reached.' })),
    pipeline: optional(
      nameText().meta({
        description: 'Name of the pipeline. If only `stage_id` is given, the name of the pipeline of this stage.',
      }),
    ),
    owner_id: optional(uuid().meta({ description: 'The user who is responsible for it.' })),
    contact_ids: optional(
      uuids(100).meta({ description: 'The people it involves, in the order in which they were sent.' }),
    ),
  },
  references: { account_id: account, stage_id: stage, owner_id: user, contact_ids: 'contacts' },
  moreExpansions: { pipeline_record: pipeline },
  filters: { account_id: uuid().meta({ description: 'Only opportunities of this account.' }) },
  list: {
    sorts: ['amount', 'close_date', 'created_at', 'updated_at'],
    filters: {
      id: ['in'],
      account_id: ['in'],
      stage_id: ofValue,
      owner_id: ofValue,
      contact_id: ['equals'],
      amount: [...ofRange, 'exists'],
      close_date: [...ofRange, 'exists'],
      crm_id: ['equals', 'in'],
      tags: ['any', 'all'],
      created_at: ofRange,
      updated_at: ofRange,
    },
    search: ['opportunity_name'],
  },
  matches: {},
  exampleMatch: { crm_id: '0065g00000XyZ' },
  example: {
    opportunity_name: 'Forty arms for the new line',
    account_id: '019a1b2c-0000-7000-8000-000000000001',
    amount: 125_000.5,
    close_date: '2026-12-31T17:00:00Z',
  },
  examplePatch: { amount: 140_000, close_date: null },
  onCreate: 'With `stage_id` and no `pipeline`, the name of the pipeline of the stage is stored.',
});

export const opportunity = {
  ...declared,
  operations: {
    ...declared.operations,
    summary: summaryOperation(declared, {
      groups: ['stage_id', 'owner_id', 'account_id', 'pipeline'],
      figures: ['amount'],
    }),
  },
};

export type Opportunity = z.output<typeof opportunity.record>;
