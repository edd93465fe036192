import { parseIfMatch } from '@relata/http';
import { givenFields, type Merge, type RecordTable } from '@relata/records';

/** The body of a merge, validated by its schema. */
export interface MergeBody {
  winner_id: string;
  loser_ids: readonly string[];
  set?: Record<string, unknown>;
  if_match?: Readonly<Record<string, string>>;
}

/** Returns the merge that a body requests. */
export function readMerge(table: RecordTable<unknown>, body: MergeBody): Merge {
  const { winner_id: winnerId, loser_ids: loserIds, set = {}, if_match: ifMatch = {} } = body;
  const versions = new Map(Object.entries(ifMatch).map(([id, etag]) => [id.toLowerCase(), parseIfMatch(etag)]));
  return { winnerId, loserIds, set: givenFields(table.writableByWorkflows, set), versions };
}
