import type { DeclaredResource, RecordOf } from '@relata/schemas';
import type { RecordTable } from './table/record-table.ts';
import * as tables from './tables.ts';

type Camel<Plural extends string> = Plural extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Plural;

type TableOf = { readonly [Each in DeclaredResource as Camel<Each['plural']>]: RecordTable<RecordOf<Each>> };

/** Tables of all resources. A resource without a table does not compile. */
export const recordTables: readonly RecordTable<unknown>[] = Object.values(tables satisfies TableOf);
