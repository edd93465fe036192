import type { Knex } from 'knex';

/** A privilege of the apps' role, or of every role (`PUBLIC`), on the database, our schema or an object in it. */
interface Right {
  role: string;
  privilege: string;
  kind: string;
  object: string;
}

/** Returns the rights of the apps' role, if one is given, and of `PUBLIC`. */
export async function listRights(on: Knex, appRole: string | undefined): Promise<Right[]> {
  const { rows } = (await on.raw(rights, [appRole ?? ''])) as { rows: Right[] };
  return rows;
}

/** Describes which rights were granted and revoked: one string for each role, kind of object and set of privileges. */
export function rightsChanged(before: readonly Right[], after: readonly Right[]): string[] {
  return [...said('granted', 'to', without(after, before)), ...said('revoked', 'from', without(before, after))];
}

const keyOf = (right: Right) => JSON.stringify(Object.values(right));

function without(rights: readonly Right[], others: readonly Right[]): Right[] {
  const known = new Set(others.map(keyOf));
  return rights.filter((right) => !known.has(keyOf(right)));
}

function said(verb: string, preposition: string, changed: readonly Right[]): string[] {
  const byObject = Map.groupBy(changed, ({ role, kind, object }) => JSON.stringify([role, kind, object]));
  const sets = [...byObject.values()].map((each) => ({
    ...each[0]!,
    privileges: each.map(({ privilege }) => privilege).join('/'),
  }));
  const alike = Map.groupBy(sets, ({ role, kind, privileges }) => JSON.stringify([role, kind, privileges]));
  return [...alike.values()].map((each) => {
    const { role, kind, privileges } = each[0]!;
    return `${verb} ${privileges} on ${objectsOf(kind, each)} ${preposition} ${role}`;
  });
}

/** Maximum number of objects to name; more objects are only counted. */
const namedMax = 3;

function objectsOf(kind: string, rights: readonly Right[]): string {
  if (rights.length > namedMax) return `${rights.length} ${kind}s`;
  return `${kind}${rights.length > 1 ? 's' : ''} ${rights.map(({ object }) => object).join(', ')}`;
}

const rights = `
  WITH home AS (SELECT oid AS home, nspname, nspacl, nspowner FROM pg_namespace WHERE nspname = current_schema()),
    grantees AS (
      SELECT oid, quote_ident(rolname) AS role FROM pg_roles WHERE rolname = ?
      UNION ALL SELECT 0, 'PUBLIC'
    ),
    objects (kind, object, acl) AS (
      SELECT 'database', quote_ident(datname), coalesce(datacl, acldefault('d', datdba))
        FROM pg_database WHERE datname = current_database()
      UNION ALL SELECT 'schema', quote_ident(nspname), coalesce(nspacl, acldefault('n', nspowner)) FROM home
      UNION ALL SELECT CASE relkind WHEN 'S' THEN 'sequence' ELSE 'table' END, class.oid::regclass::text,
          coalesce(relacl, acldefault(CASE relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", relowner))
        FROM pg_class class, home WHERE relnamespace = home AND relkind IN ('r', 'p', 'v', 'm', 'S')
      UNION ALL SELECT 'function', routine.oid::regprocedure::text, coalesce(proacl, acldefault('f', proowner))
        FROM pg_proc routine, home WHERE pronamespace = home AND prokind = 'f'
      UNION ALL SELECT 'future ' || CASE defaclobjtype WHEN 'r' THEN 'table' WHEN 'S' THEN 'sequence' ELSE 'function' END,
          'of ' || quote_ident(pg_get_userbyid(defaclrole)), defaclacl
        FROM pg_default_acl, home WHERE defaclnamespace = home AND defaclobjtype IN ('r', 'S', 'f')
    )
  SELECT role, privilege_type AS privilege, kind, object
  FROM objects CROSS JOIN aclexplode(acl) granted JOIN grantees ON grantees.oid = granted.grantee
  ORDER BY role, kind, object, privilege_type`;
