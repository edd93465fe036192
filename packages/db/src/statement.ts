/** A statement prepared once on each connection; its name says the same text wherever it is used. */
export interface Statement<Row> {
  readonly name: string;
  readonly text: string;
  /** See `binaryStatement`. */
  readonly isBinary?: boolean;
  /** Only a type: what one row holds. */
  readonly row?: Row;
}

export function statement<Row>(name: string, text: string): Statement<Row> {
  if (name.length > 63) throw new Error(`PostgreSQL cuts off the statement name ${name} at 63 bytes.`);
  return { name, text };
}

/**
 * One that reads many bytes that are text: they come as they are, and not as twice as many digits. Its columns are text or
 * bytes, so the statement casts all else to text. Bytes that are no UTF-8 come replaced, as `toString` would: pg decodes them.
 */
export function binaryStatement<Row>(name: string, text: string): Statement<Row> {
  return { ...statement<Row>(name, text), isBinary: true };
}

/** Whatever can run statements: the database, or a transaction on it. */
export interface Db {
  query<Row>(prepared: Statement<Row>, values: readonly unknown[]): Promise<Row[]>;
}

/** Returns the first row that a statement finds. */
export async function firstRow<Row>(
  db: Db,
  prepared: Statement<Row>,
  values: readonly unknown[],
): Promise<Row | undefined> {
  const [row] = await db.query(prepared, values);
  return row;
}
