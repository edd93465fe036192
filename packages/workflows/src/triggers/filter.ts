import { compileCondition, filterNames, isProblemList, type Problem, readCondition } from '@relata/expressions';

/** Compiles the filter of an assignment; throws ExpressionError, as the filter itself does. */
export function compileFilter(source: string): (payload: unknown) => boolean {
  const { test } = compileCondition(source, filterNames);
  return (payload) => test({ payload });
}

/** What is wrong with the filter of an assignment, if anything. */
export function checkFilter(source: string): Problem | undefined {
  const read = readCondition(source, filterNames);
  return isProblemList(read) ? read[0] : undefined;
}
