import type { RecordTable } from '@relata/records';

type Fields = Record<string, unknown>;

/**
 * Returns the member of `meta` that reports an ignored `crm_id` of the body. The result is empty if the record has the
 * same value.
 */
export function ignoredIn({ resource }: RecordTable<unknown>, body: Fields, record: unknown) {
  const { crm_id: given } = body;
  const isSame = given === undefined || given === ((record as Fields)['crm_id'] ?? null);
  return resource.hasCrmId && !isSame ? { ignored: ['crm_id'] } : {};
}

/** Returns a response with `data`, and with `meta` if that is not empty. */
export function withMeta<Data>(data: Data, meta: object) {
  return Object.keys(meta).length > 0 ? { data, meta } : { data };
}
