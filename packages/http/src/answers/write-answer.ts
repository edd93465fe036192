import { itemsPerRequest, type OperationInput, type BaseSpec } from '@relata/schemas';
import { etagOf } from './etag.ts';

/** What operations answer that write, or read one record. */
interface Answer {
  data: AnsweredRecord | readonly { data?: AnsweredRecord }[];
  meta?: { action?: string };
}

interface AnsweredRecord {
  id: string;
  updated_at: string;
}

/** The status of an answer: 201 where something was created. */
export function statusOf(spec: BaseSpec, answer: unknown): number {
  return spec.mayCreate && (answer as Answer).meta?.action === 'created' ? 201 : spec.success.status;
}

/** The version of the one record that is answered; undefined where the operation has none. */
export function etagIn(spec: BaseSpec, answer: unknown): string | undefined {
  return spec.hasVersion ? etagOf(((answer as Answer).data as AnsweredRecord).updated_at) : undefined;
}

export function recordIdsIn(answer: unknown): string[] {
  const { data } = answer as Answer;
  const records = Array.isArray(data) ? data.map((item: { data?: AnsweredRecord }) => item.data) : [data];
  return records.flatMap((record) => (record ? [(record as AnsweredRecord).id] : []));
}

/** As an answer shows that nothing was done. */
export function triedOut(answer: unknown): unknown {
  const { meta, ...rest } = answer as Answer;
  return { ...rest, meta: { ...meta, dry_run: true } };
}

export const isTrial = ({ query }: OperationInput<BaseSpec>): boolean =>
  (query as { dry_run?: string }).dry_run === 'true';

/** How many requests it counts as. */
export function costOf(spec: BaseSpec, { body }: OperationInput<BaseSpec>): number {
  if (!spec.hasItems) return 1;
  return Math.ceil((body as unknown as { items: readonly unknown[] }).items.length / itemsPerRequest);
}
