import type { Database } from '@relata/db';
import { type Actor, readInput } from '@relata/events';
import { type Stage, stage } from '@relata/schemas';
import type { z } from 'zod';
import { createAlone } from '../settings/create-alone.ts';
import { stages } from './stage.table.ts';

/** Adds a stage to a pipeline; throws `invalid_reference` if the organization has no such pipeline. */
export async function createStage(
  context: { database: Database },
  actor: Actor,
  input: z.input<typeof stage.create>,
): Promise<Stage> {
  return createAlone(context, actor, stages, readInput(stage.create, input));
}
