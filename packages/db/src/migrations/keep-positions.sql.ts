/**
 * Statements after which the total and the landmarks of a table are kept, as migration 004 explains. For a table that the
 * same migration makes: rows that are there already would not be in its total.
 */
export function keepPositions(table: string): string {
  return `
    CREATE TRIGGER keep_inserted AFTER INSERT ON ${table} REFERENCING NEW TABLE AS changed
      FOR EACH STATEMENT EXECUTE FUNCTION keep_positions();
    CREATE TRIGGER keep_deleted AFTER DELETE ON ${table} REFERENCING OLD TABLE AS changed
      FOR EACH STATEMENT EXECUTE FUNCTION keep_positions();`;
}
