import type { Database, UnitDb } from '@relata/db';
import { detailsOf, validationError } from '@relata/schemas/errors';
import type { z } from 'zod';
import type { Bus } from './bus.ts';

/** What an operation works with: it checks and writes in one transaction, and publishes after the commit. */
export interface OperationContext {
  database: Pick<Database, 'query' | 'transaction'>;
  bus: Bus;
}

/**
 * A transaction as the database of operations, so that several of them hold together or not at all. They must then be
 * given `noBus`: what they publish would come before the commit.
 */
export function within(db: UnitDb): OperationContext['database'] {
  return { query: (statement, values) => db.query(statement, values), transaction: (work) => work(db) };
}

/** The input of an operation as its schema reads it; throws an AppError that names every problem. */
export function readInput<Schema extends z.ZodType>(schema: Schema, input: z.input<Schema>): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw validationError(detailsOf('body', parsed.error.issues, input));
}
