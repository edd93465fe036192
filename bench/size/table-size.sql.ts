import type { Client } from 'pg';

/** The size of a table with its indexes and out-of-line values. */
export interface TableSize {
  table: string;
  rows: number;
  bytes: number;
}

/** Vacuums these tables, and returns the number of rows and the bytes of each. */
export async function listTableSizes(admin: Client, tables: readonly string[]): Promise<TableSize[]> {
  await admin.query(`VACUUM (ANALYZE) ${tables.join(', ')}`);
  const sizes: TableSize[] = [];
  for (const table of tables) {
    const { rows } = await admin.query<{ rows: string; bytes: string }>(
      `SELECT (SELECT count(*) FROM ${table}) AS rows, pg_total_relation_size('${table}') AS bytes`,
    );
    sizes.push({ table, rows: Number(rows[0]!.rows), bytes: Number(rows[0]!.bytes) });
  }
  return sizes;
}
