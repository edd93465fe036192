/** A step of the schema, executed in its own transaction. */
export interface Migration {
  name: string;
  sql: string;
  /**
   * Last migration of the oldest release that works after this one. Undefined for an expansion: every release that
   * worked before still works. A contraction names it, because older releases must no longer start.
   */
  oldest?: Migration;
}
