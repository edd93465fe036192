import { z } from 'zod';
import { dataOf, listOf, listQuery } from './list.ts';
import { operation } from './operation.ts';
import { pathId } from './path-id.ts';
import { recordFields } from './record.ts';
import { freeText, nameText, uuid } from './text.ts';

const { id, ...trailing } = recordFields;

export const Stage = z
  .object({
    id,
    pipeline_id: uuid(),
    name: nameText(),
    is_won: z.boolean(),
    is_lost: z.boolean(),
    is_closed: z.boolean(),
    active: z.boolean(),
    display_order: z.int(),
    exit_criteria: freeText().optional(),
    entry_criteria: freeText().optional(),
    ...trailing,
  })
  .meta({ id: 'Stage', description: 'A step of a pipeline.' });

export type Stage = z.output<typeof Stage>;

const shared = { tag: 'Stages', scope: 'records:read' } as const;

export const listStages = operation({
  ...shared,
  id: 'listStages',
  method: 'get',
  path: '/v1/records/stages',
  summary: 'List stages',
  query: listQuery({ pipeline_id: uuid().optional().meta({ description: 'Only those of this pipeline.' }) }),
  success: { status: 200, description: 'A page of stages.', body: listOf(Stage) },
});

export const getStage = operation({
  ...shared,
  id: 'getStage',
  method: 'get',
  path: '/v1/records/stages/{id}',
  summary: 'Read a stage',
  params: pathId,
  success: { status: 200, description: 'The stage.', body: dataOf(Stage) },
});
