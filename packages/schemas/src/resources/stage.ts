import { z } from 'zod';
import { optional, required } from '../fields/field.ts';
import { integer } from '../fields/numbers.ts';
import { readOnlyResource } from '../resource.ts';
import { freeText, nameText, uuid } from '../fields/text.ts';

export const stage = readOnlyResource({
  name: 'stage',
  plural: 'stages',
  tag: { name: 'Stages', description: 'The steps of a pipeline. Created by the operator.' },
  description: 'A step of a pipeline.',
  fields: {
    pipeline_id: required(uuid()),
    name: required(nameText()),
    is_won: required(z.boolean()),
    is_lost: required(z.boolean()),
    is_closed: required(z.boolean()),
    active: required(z.boolean()),
    display_order: required(integer()),
    exit_criteria: optional(freeText()),
    entry_criteria: optional(freeText()),
  },
  references: { pipeline_id: 'pipelines' },
  filters: { pipeline_id: uuid().meta({ description: 'Only stages of this pipeline.' }) },
  list: { filters: { id: ['in'] } },
  example: {
    pipeline_id: '019a1b2c-0000-7000-8000-000000000002',
    name: 'Qualified',
    is_won: false,
    is_lost: false,
    is_closed: false,
    active: true,
    display_order: 1,
  },
});

export type Stage = z.output<typeof stage.record>;
