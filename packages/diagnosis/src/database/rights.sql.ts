import { listWith, readWith } from '@relata/db';

interface Role {
  name: string;
  is_superuser: boolean;
  /** Number of tables of our schema that the role owns, directly or as a member of another role. */
  owned: number;
}

export const readRole = readWith<Role>(
  'diagnosis.role',
  `SELECT rolname AS name, rolsuper AS is_superuser, (
     SELECT count(*)::integer FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
     WHERE nspname = current_schema() AND relkind IN ('r', 'p') AND pg_has_role(relowner, 'USAGE')
   ) AS owned FROM pg_roles WHERE rolname = current_user`,
);

/**
 * Lists up to 100 tables, sequences and functions of our schema on which this role lacks rights, with the missing
 * rights. Leaves out objects of extensions. `app-role.ts` of the package `db` grants the rights.
 */
export const listMissingRights = listWith<{ name: string; missing: string }>(
  'diagnosis.missing_rights',
  `WITH home AS (SELECT oid FROM pg_namespace WHERE nspname = current_schema()),
   extended AS (SELECT classid, objid FROM pg_depend WHERE deptype = 'e')
   SELECT relname AS name, string_agg(word, ', ' ORDER BY word) AS missing
   FROM pg_class class JOIN home ON home.oid = relnamespace
   CROSS JOIN LATERAL unnest(CASE WHEN relname ~ '^schema_' THEN ARRAY['SELECT']
     ELSE ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE'] END) AS word
   WHERE relkind IN ('r', 'p') AND NOT has_table_privilege(class.oid, word)
     AND ('pg_class'::regclass, class.oid) NOT IN (TABLE extended) GROUP BY relname
   UNION ALL SELECT relname, 'USAGE' FROM pg_class class JOIN home ON home.oid = relnamespace
   WHERE CASE WHEN relkind = 'S' AND relname !~ '^schema_' THEN NOT has_sequence_privilege(class.oid, 'USAGE') END
   UNION ALL SELECT proname || '()', 'EXECUTE' FROM pg_proc routine JOIN home ON home.oid = pronamespace
   WHERE prokind = 'f' AND NOT has_function_privilege(routine.oid, 'EXECUTE')
     AND ('pg_proc'::regclass, routine.oid) NOT IN (TABLE extended)
   ORDER BY 1 LIMIT 100`,
);
