import { type Database, Executor } from '@relata/db';
import type { Actor } from '@relata/events';
import type { Row } from '../table/record-column.ts';
import type { RecordTable } from '../table/record-table.ts';
import { createUnit } from '../writes/record-units.ts';

/** Creates a record in a transaction of its own, for callers without an executor. */
export function createAlone<Rec>(
  { database }: { database: Database },
  actor: Actor,
  table: RecordTable<Rec>,
  fields: Row,
): Promise<Rec> {
  return new Executor(database).alone(createUnit(actor, table, fields));
}
