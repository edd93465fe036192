import { type Database, Executor } from '@relata/db';
import { type Actor, readInput } from '@relata/events';
import { pipeline, stage, user } from '@relata/schemas';
import type { z } from 'zod';
import { pipelines } from '../pipelines/pipeline.table.ts';
import { stages } from '../stages/stage.table.ts';
import type { Row } from '../table/record-column.ts';
import type { RecordTable } from '../table/record-table.ts';
import { users } from '../users/user.table.ts';
import { createUnit } from '../writes/record-units.ts';

/** Creates a pipeline. The first one becomes the default; a new default replaces the previous one. */
export const createPipeline = creating(pipelines, pipeline.create);

/** Adds a stage to a pipeline; throws `invalid_reference` if the organization has no such pipeline. */
export const createStage = creating(stages, stage.create);

export const createUser = creating(users, user.create);

/** Returns an operation that creates a record in a transaction of its own, for callers without an executor. */
function creating<Rec, Schema extends z.ZodType<Row>>(table: RecordTable<Rec>, schema: Schema) {
  return async ({ database }: { database: Database }, actor: Actor, input: z.input<Schema>): Promise<Rec> =>
    new Executor(database).runAlone(createUnit(actor, table, readInput(schema, input)));
}
