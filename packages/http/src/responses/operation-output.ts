import { itemsPerRequest, type OperationInput, type BaseSpec } from '@relata/schemas';
import { formatEtag } from './etag.ts';

/** Output of an operation that writes, or that reads one record. */
interface Output {
  data: OutputRecord | readonly { data?: OutputRecord }[];
  meta?: { action?: string };
}

interface OutputRecord {
  id: string;
  updated_at: string;
}

/** Returns the status of an output: 201 if something was created. */
export function outputStatus(spec: BaseSpec, output: unknown): number {
  return spec.mayCreate && (output as Output).meta?.action === 'created' ? 201 : spec.success.status;
}

/**
 * Returns the ETag of the record in the output; undefined if the operation uses no ETags, or `expand` adds other
 * records.
 */
export function etagIn(spec: BaseSpec, output: unknown, { query }: OperationInput<BaseSpec>): string | undefined {
  const { expand } = query as { expand?: unknown };
  return spec.hasVersion && expand === undefined
    ? formatEtag(((output as Output).data as OutputRecord).updated_at)
    : undefined;
}

export function recordIdsIn(output: unknown): string[] {
  const { data } = output as Output;
  const records = Array.isArray(data) ? data.map((item: { data?: OutputRecord }) => item.data) : [data];
  return records.flatMap((record) => (record ? [(record as OutputRecord).id] : []));
}

/** Marks an output as the result of a dry run. */
export function markDryRun(output: unknown): unknown {
  const { meta, ...rest } = output as Output;
  return { ...rest, meta: { ...meta, dry_run: true } };
}

export const isDryRun = ({ query }: OperationInput<BaseSpec>): boolean =>
  (query as { dry_run?: string }).dry_run === 'true';

/** Returns how many requests a request counts as in its rate limit. */
export function requestCost(spec: BaseSpec, { body }: OperationInput<BaseSpec>): number {
  if (!spec.hasItems) return 1;
  return Math.ceil((body as unknown as { items: readonly unknown[] }).items.length / itemsPerRequest);
}
