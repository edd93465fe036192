import { type Db, listWith, statement } from '@relata/db';
import { type IncomingLink, memoizePerLink, statementName } from '../links/links.ts';
import { type LinkParameters, withKept } from '../links/relink.sql.ts';
import { storedRecord } from '../trash/stored-record.sql.ts';
import { withLoser } from './move-links.sql.ts';

/** Locks the entries of records in the trash in the order of their ids, and returns their ids. */
export const lockTrashed = listWith<{ id: string }, [orgId: string, resource: string, ids: readonly string[]]>(
  'trash.lock_linked',
  `SELECT id FROM trash WHERE org_id = $1 AND resource = $2 AND id = ANY ($3::uuid[]) AND record IS NOT NULL
   ORDER BY id FOR UPDATE`,
);

/** The undo of a merge for one of its losers. */
interface Undo {
  /** Records in the trash whose links are moved back; their entries are locked. */
  trashedIds: readonly string[];
  loserId: string;
  winnerId: string;
}

const moving = memoizePerLink((referrer) =>
  statement<never>(statementName(referrer, 'move_trashed_back'), moveSql(referrer)),
);

/**
 * Moves links of records in the trash back to a restored loser, like `movesLinksBack`. A later restore of such a record
 * brings it back with these links. Writes no events: the deleted record itself does not change.
 */
export async function moveTrashedLinksBack(
  db: Db,
  orgId: string,
  referrer: IncomingLink,
  { trashedIds, loserId, winnerId }: Undo,
): Promise<void> {
  if (trashedIds.length > 0) await db.query(moving(referrer), [orgId, trashedIds, [loserId], winnerId]);
}

const parameters: LinkParameters = { linked: '$3::uuid[]', winner: '$4::uuid' };

function moveSql({ links }: IncomingLink): string {
  const names = links.map(({ name }) => name);
  const fields = links.map(({ name, isList }) => `${name} ${isList ? 'uuid[]' : 'uuid'}`);
  const values = links.map((link) => `old.${link.name}, ${withLoser(link, parameters)} AS new_${link.name}`);
  return `
    WITH found AS MATERIALIZED (
      SELECT t.id, r.* FROM trash t CROSS JOIN LATERAL jsonb_to_record(${storedRecord('t')}) AS r (${fields.join(', ')})
      WHERE t.org_id = $1::uuid AND t.id = ANY ($2::uuid[])
    ), ${withKept(names, parameters)}, judged AS MATERIALIZED (
      SELECT old.id, ${values.join(', ')} FROM old
    )
    UPDATE trash t SET relinked = coalesce(t.relinked, '{}')
      || jsonb_strip_nulls(jsonb_build_object(${names.map((name) => `'${name}', j.new_${name}`).join(', ')}))
    FROM judged j WHERE t.org_id = $1::uuid AND t.id = j.id
      AND (${names.map((name) => `j.new_${name} IS DISTINCT FROM j.${name}`).join(' OR ')})`;
}
