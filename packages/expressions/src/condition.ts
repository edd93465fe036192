import type { Evaluate } from './evaluation/access.ts';
import type { EvaluationContext } from './evaluation/evaluation-context.ts';
import { ExpressionError, type Problem } from './expression.error.ts';
import { isProblems, readExpression } from './expression.ts';
import { Frame } from './evaluation/frame.ts';
import type { Names } from './checks/names.ts';

export interface Condition {
  readonly test: (context: Partial<EvaluationContext>) => boolean;
  readonly roots: ReadonlySet<string>;
}

const truthTypes = new Set(['bool', 'dyn', 'dyn<bool>']);

/** Compiles an expression that is true or false; throws ExpressionError, as the test itself does. */
export function compileCondition(source: string, names: Names): Condition {
  const read = readCondition(source, names);
  if (isProblemList(read)) throw new ExpressionError(read[0]!.message, read[0]!.hint);
  return read;
}

/** The same, but returns every problem instead of throwing the first. */
export function readCondition(source: string, names: Names): Condition | readonly Problem[] {
  const read = readExpression(source, names);
  if (isProblems(read)) return read;
  if (truthTypes.has(read.type)) return { test: testOf(read.evaluate), roots: read.roots };
  return [{ message: `The condition is never true or false, but: ${read.type === 'double' ? 'number' : read.type}.` }];
}

export function isProblemList(read: Condition | readonly Problem[]): read is readonly Problem[] {
  return Array.isArray(read);
}

function testOf(evaluate: Evaluate): Condition['test'] {
  return (context) => {
    const result = evaluate(new Frame(context));
    if (typeof result === 'boolean') return result;
    throw new ExpressionError('The condition is neither true nor false.');
  };
}
