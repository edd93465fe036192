import type { UnitDb } from '@relata/db';
import type { Row } from '../table/record-column.ts';

/** A table whose rows refer to rows of others. */
export interface ReferringTable {
  name: string;
  /** The table that each field refers to. */
  references: Readonly<Record<string, string>>;
}

/** What a rule is called with. */
export interface RuleContext {
  db: UnitDb;
  orgId: string;
  table: ReferringTable;
}

/**
 * What holds between the fields of a record, whichever way it is written. A rule completes what was given, or throws what is wrong
 * with it.
 */
export interface RecordRules {
  create?: (on: RuleContext, given: Row) => Row | Promise<Row>;
  /** Called within a transaction, and only for patches that name one of `fields`. */
  update?: { fields: readonly string[]; complete: (on: RuleContext, id: string, patch: Row) => Promise<Row> };
}

interface RuledTable extends ReferringTable {
  rules?: RecordRules;
}

/** Returns the fields of a new record, as the rules of its table complete them. */
export async function completeNew(db: UnitDb, orgId: string, table: RuledTable, given: Row): Promise<Row> {
  return table.rules?.create?.({ db, orgId, table }, given) ?? given;
}

/** Returns true if the rules of the table apply to the patch; it is completed within a transaction then. */
export function hasRuleFor({ rules }: RuledTable, patch: Row): boolean {
  return rules?.update?.fields.some((name) => patch[name] !== undefined) ?? false;
}

/** Returns a patch, as the rules of its table complete it. */
export async function completePatch(
  db: UnitDb,
  orgId: string,
  table: RuledTable,
  id: string,
  patch: Row,
): Promise<Row> {
  if (!hasRuleFor(table, patch)) return patch;
  return table.rules!.update!.complete({ db, orgId, table }, id, patch);
}
