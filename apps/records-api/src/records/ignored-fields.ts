import type { RecordTable } from '@relata/records';

type Fields = Record<string, unknown>;

/** Returns the part of `meta` that says that the `crm_id` of a body was ignored; empty if the record has the same. */
export function ignoredIn({ resource }: RecordTable<unknown>, body: Fields, record: unknown) {
  const { crm_id: given } = body;
  const isSame = given === undefined || given === ((record as Fields)['crm_id'] ?? null);
  return resource.hasCrmId && !isSame ? { ignored: ['crm_id'] } : {};
}

/** Returns an answer with `meta` only if it says something. */
export function withMeta<Data>(data: Data, meta: object) {
  return Object.keys(meta).length > 0 ? { data, meta } : { data };
}
