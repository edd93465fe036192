/** A statement prepared once on each connection; its name says the same text wherever it is used. */
export interface Statement<Row> {
  readonly name: string;
  readonly text: string;
  /** Only a type: what one row holds. */
  readonly row?: Row;
}

export function statement<Row>(name: string, text: string): Statement<Row> {
  if (name.length > 63) throw new Error(`PostgreSQL cuts off the statement name ${name} at 63 bytes.`);
  return { name, text };
}

/** Whatever can run statements: the database, or a transaction on it. */
export interface Db {
  query<Row>(prepared: Statement<Row>, values: readonly unknown[]): Promise<Row[]>;
}
