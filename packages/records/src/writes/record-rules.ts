import type { UnitDb } from '@relata/db';
import type { Row } from '../table/record-column.ts';

/** A table whose rows refer to rows of other tables. */
export interface ReferringTable {
  name: string;
  /** The table that each field refers to. */
  references: Readonly<Record<string, string>>;
}

/** Context of a call to a rule. */
export interface RuleContext {
  db: UnitDb;
  orgId: string;
  table: ReferringTable;
}

/**
 * Validation across several fields of a record, whichever way it is written. A rule completes the given fields, or
 * throws if they contradict each other.
 */
export interface RecordRules {
  create?: (on: RuleContext, given: Row) => Row | Promise<Row>;
  /** Called with the record locked, and only for patches that set one of `fields`. */
  update?: { fields: readonly string[]; complete: (on: RuleContext, record: Row, patch: Row) => Promise<Row> };
}

interface RuledTable extends ReferringTable {
  rules?: RecordRules;
}

export async function completeNew(db: UnitDb, orgId: string, table: RuledTable, given: Row): Promise<Row> {
  return table.rules?.create?.({ db, orgId, table }, given) ?? given;
}

/** Returns true if a rule of the table applies to the patch; it must then be completed with the record locked. */
export function hasRuleFor({ rules }: RuledTable, patch: Row): boolean {
  return rules?.update?.fields.some((name) => patch[name] !== undefined) ?? false;
}

export async function completePatch(
  db: UnitDb,
  orgId: string,
  table: RuledTable,
  record: Row,
  patch: Row,
): Promise<Row> {
  if (!hasRuleFor(table, patch)) return patch;
  return table.rules!.update!.complete({ db, orgId, table }, record, patch);
}
