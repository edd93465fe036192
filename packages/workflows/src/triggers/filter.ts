import { filterNames, isProblems, orThrow, type ExpressionProblem, readCondition } from '@relata/expressions';
import type { DeliveryContent } from '../deliveries/delivery-content.ts';

/** A compiled filter, which throws ExpressionError. */
export type CompiledFilter = (content: DeliveryContent) => boolean;

/** Compiles the filter of an assignment, or returns every problem. */
export function readFilter(source: string): CompiledFilter | readonly ExpressionProblem[] {
  const read = readCondition(source, filterNames);
  if (isProblems(read)) return read;
  return ({ payload, headers }) => read.test({ payload, delivery: { headers } });
}

/** Compiles the filter of an assignment; throws ExpressionError, as the filter itself does. */
export function compileFilter(source: string): CompiledFilter {
  return orThrow(readFilter(source));
}

export function checkFilter(source: string): ExpressionProblem | undefined {
  const read = readFilter(source);
  return isProblems(read) ? read[0] : undefined;
}
