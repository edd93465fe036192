import { rotateApiKey } from '@relata/auth';
import { type Database, type Db, statement } from '@relata/db';
import { CliError } from './cli.error.ts';

interface KeyLife {
  org_id: string;
  revoked_at: string | null;
  expires_at: string | null;
  created_at: string;
  has_expired: boolean;
}

const lock = statement<KeyLife>(
  'api_keys.lock',
  `SELECT org_id, revoked_at, expires_at, created_at, coalesce(expires_at <= now(), false) AS has_expired
   FROM api_keys WHERE id = $1 FOR UPDATE`,
);

export interface Rotation {
  id: string;
  /** Where given, the key must be its. */
  orgId: string | undefined;
  overlapMs: number;
  /** Of the successor; where undefined it lives as long as the old key was made to. */
  expiresAt: string | undefined;
}

/** A key's successor and its end, in one transaction. A key that has ended has no successor. */
export function rotateKey(database: Database, { id, orgId, overlapMs, expiresAt }: Rotation) {
  return database.transaction(async (db) => {
    const life = await getLife(db, id, orgId);
    const rotated = await rotateApiKey(db, life.org_id, id, { overlapMs, expiresAt: expiresAt ?? sameSpan(life) });
    if (!rotated) throw noKey(id);
    return rotated;
  });
}

async function getLife(db: Db, id: string, orgId: string | undefined): Promise<KeyLife> {
  const [life] = await db.query(lock, [id]);
  if (!life || (orgId ?? life.org_id) !== life.org_id) throw noKey(id);
  if (life.revoked_at !== null) throw ended(id, `was revoked at ${life.revoked_at}`);
  if (life.has_expired) throw ended(id, `expired at ${life.expires_at}`);
  return life;
}

/** Otherwise a key made for 90 days would live for ever once it is rotated. */
function sameSpan({ expires_at, created_at }: KeyLife): string | null {
  return expires_at === null
    ? null
    : new Date(Date.now() + Date.parse(expires_at) - Date.parse(created_at)).toISOString();
}

export function noKey(id: string): CliError {
  return new CliError('not_found', `There is no key ${id}. See: relata keys list`);
}

function ended(id: string, how: string): CliError {
  return new CliError('conflict', `The key ${id} ${how}. Make a new one: relata keys create`);
}
