/** A change of the schema, executed in its own transaction. */
export interface Migration {
  name: string;
  sql: string;
  /**
   * Last migration of the oldest release that still works after this migration. A contraction names it, because older
   * releases must no longer start. Undefined for an expansion: every release that worked before still works.
   */
  oldest?: Migration;
}
