import type { BaseSpec, OperationInput } from '@relata/schemas';
import { SerializedJson } from './serialized-json.ts';

/** Throws if an answer does not match the schema of its operation. Used in tests and development. */
export function checkAnswer(spec: BaseSpec, answer: unknown, { query }: OperationInput<BaseSpec>): void {
  const isPartial = (query as { fields?: unknown }).fields !== undefined;
  const body = (isPartial && spec.partialBody) || spec.success.body;
  const parsed = body?.safeParse(answer instanceof SerializedJson ? answer.value : answer);
  if (parsed && !parsed.success)
    throw new Error(`The answer of ${spec.id} does not match its schema: ${parsed.error.message}`);
}
