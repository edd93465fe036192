/** A step of the schema, executed in its own transaction. */
export interface Migration {
  name: string;
  sql: string;
}
