/** A statement that is prepared once on each connection. Its name and variant always stand for the same text. */
export interface Statement<Row> {
  readonly name: string;
  readonly text: string;
  /** Distinguishes texts that share a name. Metrics and traces show only the name. */
  readonly variant?: string;
  /** See `binaryStatement`. */
  readonly isBinary?: boolean;
  /** See `plannedStatement`. */
  readonly isPlanned?: boolean;
  /** Type of a row; never has a value. */
  readonly row?: Row;
}

export function statement<Row>(name: string, text: string, variant?: string): Statement<Row> {
  const declared: Statement<Row> = { name, text, ...(variant !== undefined && { variant }) };
  const prepared = preparedName(declared);
  if (prepared.length > 63) throw new Error(`PostgreSQL cuts off the statement name ${prepared} at 63 bytes.`);
  return declared;
}

/** Returns the name that a statement has on its connection. */
export function preparedName({ name, variant }: Pick<Statement<unknown>, 'name' | 'variant'>): string {
  return variant === undefined ? name : `${name}:${variant}`;
}

/**
 * Declares a statement whose columns arrive in binary, which saves the hex encoding of `bytea`. Columns must be text or
 * `bytea`; cast all others to text. Invalid UTF-8 in a text column is replaced, as `Buffer.toString` does.
 */
export function binaryStatement<Row>(name: string, text: string): Statement<Row> {
  return { ...statement<Row>(name, text), isBinary: true };
}

/**
 * Declares a statement that PostgreSQL plans each time for the given values, instead of once for all values. Use it for
 * a text that connections need not keep, or if a condition matches few rows for some values and very many for others.
 */
export function plannedStatement<Row>(name: string, text: string): Statement<Row> {
  return { name, text, isPlanned: true };
}

/** An object that can run statements: the database, or a transaction. */
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

/** Returns the row of a statement that always finds a row. */
export async function onlyRow<Row>(db: Db, prepared: Statement<Row>, values: readonly unknown[]): Promise<Row> {
  const [row] = await db.query(prepared, values);
  return row!;
}

/** Declares a function that runs a statement and returns its rows. The parameters are the values, in their order. */
export function listWith<Row, Values extends readonly unknown[] = []>(name: string, text: string) {
  const prepared = statement<Row>(name, text);
  return (db: Db, ...values: Values): Promise<Row[]> => db.query(prepared, values);
}

/** Like `listWith`, for the first row; undefined if there is none. */
export function findWith<Row, Values extends readonly unknown[] = []>(name: string, text: string) {
  const prepared = statement<Row>(name, text);
  return (db: Db, ...values: Values): Promise<Row | undefined> => firstRow(db, prepared, values);
}

/** Like `listWith`, for the row of a statement that always finds a row. */
export function readWith<Row, Values extends readonly unknown[] = []>(name: string, text: string) {
  const prepared = statement<Row>(name, text);
  return (db: Db, ...values: Values): Promise<Row> => onlyRow(db, prepared, values);
}

/** Like `findWith`, for the value in the only column of the row. */
export function findValueWith<Value, Values extends readonly unknown[] = []>(name: string, text: string) {
  const prepared = statement<Record<string, Value>>(name, text);
  return async (db: Db, ...values: Values): Promise<Value | undefined> =>
    Object.values((await firstRow(db, prepared, values)) ?? {})[0];
}
