import { z } from 'zod';
import { preset, required } from '../fields/field.ts';
import { pathId } from '../fields/path-id.ts';
import { operation } from '../operation.ts';
import { settingResource } from '../resource.ts';
import { removeOperation } from '../resource.operations.ts';
import { nameText, uuid } from '../fields/text.ts';
import { tried, writeQuery } from '../writes/write.schema.ts';
import { stage } from './stage.ts';

const declared = settingResource({
  name: 'pipeline',
  plural: 'pipelines',
  tag: { name: 'Pipelines', description: 'Sequences of stages that a sale goes through.' },
  description: 'A sequence of stages that a sale goes through.',
  fields: {
    name: required(nameText()),
    active: preset(z.boolean(), true),
    is_default: preset(z.boolean().meta({ description: 'True for the default pipeline of the organization.' }), false),
  },
  unique: 'name',
  filters: {},
  list: { filters: { id: ['in'] } },
  example: { name: 'Sales', active: true, is_default: false },
  examplePatch: { active: true },
  onCreate: 'The first pipeline becomes the default. A new default replaces the old one, which is changed too.',
  onUpdate:
    'A new name is also written to the opportunities at its stages, and to those without a stage that have the old ' +
    'name. A new default replaces the old one; `is_default` of the default cannot be set to `false`.',
  changesOthers: true,
});

/** Maximum number of stages of a pipeline that can be reordered. */
const orderedMax = 1_000;

const remove = removeOperation(declared, declared.answered, {
  description:
    'Deletes its stages too. A pipeline with opportunities at its stages is only deleted with `move_to`, and the default ' +
    'only if it is the last pipeline. A deleted pipeline does not go to the trash.',
  moveTo: 'A stage of another pipeline to which the opportunities at its stages are moved, at most 5,000.',
});

const order = operation({
  id: 'orderStages',
  method: 'post',
  path: '/v1/records/pipelines/{id}/stage-order',
  tag: declared.tag.name,
  summary: 'Put the stages of a pipeline in order',
  description: 'Sets `display_order` of the stages to 1, 2, 3 and so on.',
  isWrite: true,
  transaction: 'bulk',
  scope: 'settings:write',
  params: pathId,
  query: writeQuery,
  body: z.strictObject({
    stage_ids: z
      .array(uuid())
      .max(orderedMax)
      .meta({ description: 'Ids of all stages of the pipeline, each once, the first stage first.' }),
  }),
  example: { stage_ids: ['019a1b2c-0000-7000-8000-000000000003'] },
  success: {
    status: 200,
    description: 'The stages in their order.',
    body: z.object({ data: z.array(stage.answered), meta: z.object(tried).optional() }),
  },
});

export const pipeline = { ...declared, operations: { ...declared.operations, delete: remove, order } };

export type Pipeline = z.output<typeof pipeline.record>;
