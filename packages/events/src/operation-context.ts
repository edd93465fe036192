import type { Database, UnitDb } from '@relata/db';
import { toErrorDetails, validationError } from '@relata/schemas/errors';
import type { z } from 'zod';
import type { Bus } from './bus.ts';

/** Services of an operation, which checks and writes in one transaction, and publishes after the commit. */
export interface OperationContext {
  database: Pick<Database, 'query' | 'transaction'>;
  bus: Bus;
}

/**
 * Returns a transaction as the database of operations, so that several operations commit together or not at all. They
 * must use `noopBus`, since they would publish before the commit.
 */
export function within(db: UnitDb): OperationContext['database'] {
  return { query: (statement, values) => db.query(statement, values), transaction: (work) => work(db) };
}

/** Parses the input of an operation with its schema; throws an AppError that names every problem. */
export function readInput<Schema extends z.ZodType>(schema: Schema, input: z.input<Schema>): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw validationError(toErrorDetails('body', parsed.error.issues, input));
}
