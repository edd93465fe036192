import { filterNames, isProblems, orThrow, type Problem, readCondition } from '@relata/expressions';
import type { DeliveryContent } from '../deliveries/delivery-content.ts';

export interface CompiledFilter {
  /** Throws ExpressionError. */
  holds: (content: DeliveryContent) => boolean;
  readsHeaders: boolean;
}

/** Compiles the filter of an assignment, or returns every problem. */
export function readFilter(source: string): CompiledFilter | readonly Problem[] {
  const read = readCondition(source, filterNames);
  if (isProblems(read)) return read;
  const holds: CompiledFilter['holds'] = ({ payload, headers }) => read.test({ payload, delivery: { headers } });
  return { holds, readsHeaders: read.roots.has('delivery') };
}

/** Compiles the filter of an assignment; throws ExpressionError, as the filter itself does. */
export function compileFilter(source: string): CompiledFilter['holds'] {
  return orThrow(readFilter(source)).holds;
}

export function checkFilter(source: string): Problem | undefined {
  const read = readFilter(source);
  return isProblems(read) ? read[0] : undefined;
}
