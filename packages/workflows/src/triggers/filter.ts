import { compileCondition, filterNames, isProblemList, type Problem, readCondition } from '@relata/expressions';
import type { DeliveryContent } from '../deliveries/delivery-content.ts';

export interface CompiledFilter {
  holds: (content: DeliveryContent) => boolean;
  /** Whether it looks at the headers at all. */
  readsHeaders: boolean;
}

/** Compiles the filter of an assignment; throws ExpressionError, as the filter itself does. */
export function compileFilter(source: string): CompiledFilter['holds'] {
  return compileContentFilter(source).holds;
}

export function compileContentFilter(source: string): CompiledFilter {
  const { test, roots } = compileCondition(source, filterNames);
  const holds: CompiledFilter['holds'] = ({ payload, headers }) => test({ payload, delivery: { headers } });
  return { holds, readsHeaders: roots.has('delivery') };
}

/** What is wrong with the filter of an assignment, if anything. */
export function checkFilter(source: string): Problem | undefined {
  const read = readCondition(source, filterNames);
  return isProblemList(read) ? read[0] : undefined;
}
