import type { RecordTable, RuleContext } from '../table/record-table.ts';
import type { Row } from '../table/record-column.ts';

type RuledTable = Pick<RecordTable<unknown>, 'rules'>;

/** Returns true if a rule of the table applies to a new record; it must then be created in a transaction. */
export function hasCreateRule({ rules }: RuledTable, given: Row): boolean {
  if (!rules?.create) return false;
  const { fields } = rules.create;
  return !fields || setsOneOf(fields, given);
}

export async function completeNew(on: RuleContext, given: Row): Promise<Row> {
  return hasCreateRule(on.table, given) ? on.table.rules!.create!.complete(on, given) : given;
}

/** Returns true if a rule of the table applies to the patch; it must then be completed with the record locked. */
export function hasRuleFor({ rules }: RuledTable, patch: Row): boolean {
  return rules?.update !== undefined && setsOneOf(rules.update.fields, patch);
}

const setsOneOf = (fields: readonly string[], values: Row) => fields.some((name) => values[name] !== undefined);

export async function completePatch(on: RuleContext, record: Row, patch: Row): Promise<Row> {
  return hasRuleFor(on.table, patch) ? on.table.rules!.update!.complete(on, record, patch) : patch;
}
