import { ifMatchDetails, parseIfMatch } from '@relata/http';
import { givenFields, type Merge, type RecordTable } from '@relata/records';
import { validationError } from '@relata/schemas/errors';

/** The body of a merge, checked by its schema. */
export interface MergeBody {
  winner_id: string;
  loser_ids: readonly string[];
  set?: Record<string, unknown>;
  if_match?: Readonly<Record<string, string>>;
}

/** Reads the body of a merge. Throws `validation_error` for versions that are no lists of ETags. */
export function readMerge(table: RecordTable<unknown>, body: MergeBody): Merge {
  const { winner_id: winnerId, loser_ids: loserIds, set = {}, if_match: ifMatch = {} } = body;
  const given = Object.entries(ifMatch);
  const details = given.flatMap(([id, etag]) =>
    ifMatchDetails(etag, true).map((detail) => ({ ...detail, in: 'body' as const, field: `if_match.${id}` })),
  );
  if (details.length > 0) throw validationError(details);
  const versions = new Map(given.map(([id, etag]) => [id.toLowerCase(), parseIfMatch(etag)]));
  return { winnerId, loserIds, set: givenFields(table.writableByWorkflows, set), versions };
}
