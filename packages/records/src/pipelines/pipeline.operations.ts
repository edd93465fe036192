import type { Database } from '@relata/db';
import { type Actor, readInput } from '@relata/events';
import { type Pipeline, pipeline } from '@relata/schemas';
import type { z } from 'zod';
import { createAlone } from '../settings/create-alone.ts';
import { pipelines } from './pipeline.table.ts';

/** Creates a pipeline. The first one becomes the default; a new default replaces the previous one. */
export async function createPipeline(
  context: { database: Database },
  actor: Actor,
  input: z.input<typeof pipeline.create>,
): Promise<Pipeline> {
  return createAlone(context, actor, pipelines, readInput(pipeline.create, input));
}
