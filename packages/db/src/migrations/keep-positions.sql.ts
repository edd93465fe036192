/**
 * Returns statements that maintain the total and the landmarks of a table, as migration 004 explains. The table must be
 * created in the same migration: rows that exist already would be missing from its total.
 */
export function keepPositions(table: string): string {
  return `
    CREATE TRIGGER keep_inserted AFTER INSERT ON ${table} REFERENCING NEW TABLE AS changed
      FOR EACH STATEMENT EXECUTE FUNCTION keep_positions();
    CREATE TRIGGER keep_deleted AFTER DELETE ON ${table} REFERENCING OLD TABLE AS changed
      FOR EACH STATEMENT EXECUTE FUNCTION keep_positions();`;
}
