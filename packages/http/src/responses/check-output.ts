import type { BaseSpec, OperationInput } from '@relata/schemas';
import { SerializedJson } from './serialized-json.ts';

/** Throws if an output does not match the schema of its operation. Used in tests and development. */
export function checkOutput(spec: BaseSpec, output: unknown, { query }: OperationInput<BaseSpec>): void {
  const isPartial = (query as { fields?: unknown }).fields !== undefined;
  const body = (isPartial && spec.partialBody) || spec.success.body;
  const parsed = body?.safeParse(output instanceof SerializedJson ? output.value : output);
  if (parsed && !parsed.success)
    throw new Error(`The answer of ${spec.id} does not match its schema: ${parsed.error.message}`);
}
