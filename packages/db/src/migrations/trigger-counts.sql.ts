/**
 * Returns statements that start counting the rows of a table, as migration 026 explains. Counting begins with the first
 * full hour in which no row exists yet, or with 1970 if the table is empty. Creating the triggers locks the table, so
 * nobody writes to it meanwhile.
 */
export function startCounting(kind: 'deliveries' | 'runs', table: string): string {
  return `
    CREATE TRIGGER keep_inserted_counts AFTER INSERT ON ${table} REFERENCING NEW TABLE AS changed
      FOR EACH STATEMENT EXECUTE FUNCTION keep_trigger_counts('${kind}');
    CREATE TRIGGER keep_deleted_counts AFTER DELETE ON ${table} REFERENCING OLD TABLE AS changed
      FOR EACH STATEMENT EXECUTE FUNCTION keep_trigger_counts('${kind}');

    INSERT INTO trigger_count_starts (kind, minute)
    SELECT '${kind}', CASE WHEN newest.minute IS NULL THEN 0
      ELSE (greatest(newest.minute, (extract(epoch FROM now()) / 60)::bigint) / 60 + 1) * 60 END
    FROM (
      SELECT max(minute_of(r.id)) AS minute FROM organizations o CROSS JOIN LATERAL (
        SELECT id FROM ${table} WHERE org_id = o.id ORDER BY id DESC LIMIT 1
      ) r
    ) newest;`;
}
