import { compileCondition, filterNames, isProblemList, type Problem, readCondition } from '@relata/expressions';
import type { DeliveryContent } from '../deliveries/delivery-content.ts';

/** Compiles the filter of an assignment; throws ExpressionError, as the filter itself does. */
export function compileFilter(source: string): (content: DeliveryContent) => boolean {
  const { test } = compileCondition(source, filterNames);
  return ({ payload, headers }) => test({ payload, delivery: { headers } });
}

/** What is wrong with the filter of an assignment, if anything. */
export function checkFilter(source: string): Problem | undefined {
  const read = readCondition(source, filterNames);
  return isProblemList(read) ? read[0] : undefined;
}
