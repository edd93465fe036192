/** One step of the schema, run in a transaction of its own. */
export interface Migration {
  name: string;
  sql: string;
}
