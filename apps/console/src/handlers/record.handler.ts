import type { Db } from '@relata/db';
import { accounts, contacts, findMatches, opportunities, recordName, type RecordTable } from '@relata/records';
import { isUuid } from '@relata/schemas';
import type { FoundRecord } from '@relata/schemas/console';
import type { ConsoleContext, ConsoleHandlers } from './console-context.ts';

/** Maximum number of records of each kind in a response. */
const ofKindMax = 5;

type Kind = FoundRecord['record_type'];

const tables: readonly (readonly [Kind, RecordTable<{ id: string }>])[] = [
  ['account', accounts],
  ['contact', contacts],
  ['opportunity', opportunities],
];

export function recordHandlers({ database }: ConsoleContext) {
  return {
    findRecords: async ({ query: { value } }, { caller: { orgId } }) => {
      if (value === undefined) return { data: [] };
      const db = database.of(orgId);
      const found = await Promise.all(tables.map((of) => findIn(db, orgId, of, value)));
      return { data: found.flat() };
    },
  } satisfies Partial<ConsoleHandlers>;
}

type Table = (typeof tables)[number];

async function findIn(db: Db, orgId: string, [kind, table]: Table, value: string): Promise<FoundRecord[]> {
  const fields = isUuid(value) ? ['id'] : Object.keys(table.matches).filter((field) => canBe(field, value));
  const matching = fields.map((field) => findMatches(db, orgId, table, { [field]: value }, ofKindMax));
  const records = new Map((await Promise.all(matching)).flat().map((record) => [record.id, record]));
  return [...records.values()]
    .slice(0, ofKindMax)
    .map((record) => ({ record_type: kind, id: record.id, name: recordName({ ...record }), record: { ...record } }));
}

/** Returns false if the field cannot have this value, so that it need not be searched. */
function canBe(field: string, value: string): boolean {
  if (field === 'id') return false;
  if (field === 'email') return value.includes('@');
  return field !== 'domain' || value.includes('.');
}
