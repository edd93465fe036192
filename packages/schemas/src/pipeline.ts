import { z } from 'zod';
import { dataOf, listOf, listQuery } from './list.ts';
import { operation } from './operation.ts';
import { pathId } from './path-id.ts';
import { recordFields } from './record.ts';
import { nameText } from './text.ts';

const { id, ...trailing } = recordFields;

export const Pipeline = z
  .object({ id, name: nameText(), active: z.boolean(), is_default: z.boolean(), ...trailing })
  .meta({ id: 'Pipeline', description: 'A way that sales go, in stages.' });

export type Pipeline = z.output<typeof Pipeline>;

const shared = { tag: 'Pipelines', scope: 'records:read' } as const;

export const listPipelines = operation({
  ...shared,
  id: 'listPipelines',
  method: 'get',
  path: '/v1/records/pipelines',
  summary: 'List pipelines',
  query: listQuery({}),
  success: { status: 200, description: 'A page of pipelines.', body: listOf(Pipeline) },
});

export const getPipeline = operation({
  ...shared,
  id: 'getPipeline',
  method: 'get',
  path: '/v1/records/pipelines/{id}',
  summary: 'Read a pipeline',
  params: pathId,
  success: { status: 200, description: 'The pipeline.', body: dataOf(Pipeline) },
});
