import { itemsPerRequest, type OperationInput, type BaseSpec } from '@relata/schemas';
import { formatEtag } from './etag.ts';

/** Answer of an operation that writes, or that reads one record. */
interface Answer {
  data: AnsweredRecord | readonly { data?: AnsweredRecord }[];
  meta?: { action?: string };
}

interface AnsweredRecord {
  id: string;
  updated_at: string;
}

/** Returns the status of an answer: 201 if something was created. */
export function answerStatus(spec: BaseSpec, answer: unknown): number {
  return spec.mayCreate && (answer as Answer).meta?.action === 'created' ? 201 : spec.success.status;
}

/**
 * Returns the ETag of the record in the answer; undefined if the operation uses no ETags, or `expand` adds other
 * records.
 */
export function etagIn(spec: BaseSpec, answer: unknown, { query }: OperationInput<BaseSpec>): string | undefined {
  const { expand } = query as { expand?: unknown };
  return spec.hasVersion && expand === undefined
    ? formatEtag(((answer as Answer).data as AnsweredRecord).updated_at)
    : undefined;
}

export function recordIdsIn(answer: unknown): string[] {
  const { data } = answer as Answer;
  const records = Array.isArray(data) ? data.map((item: { data?: AnsweredRecord }) => item.data) : [data];
  return records.flatMap((record) => (record ? [(record as AnsweredRecord).id] : []));
}

/** Marks an answer as the result of a dry run. */
export function markDryRun(answer: unknown): unknown {
  const { meta, ...rest } = answer as Answer;
  return { ...rest, meta: { ...meta, dry_run: true } };
}

export const isDryRun = ({ query }: OperationInput<BaseSpec>): boolean =>
  (query as { dry_run?: string }).dry_run === 'true';

/** Returns how many requests a request counts as in its rate limit. */
export function requestCost(spec: BaseSpec, { body }: OperationInput<BaseSpec>): number {
  if (!spec.hasItems) return 1;
  return Math.ceil((body as unknown as { items: readonly unknown[] }).items.length / itemsPerRequest);
}
