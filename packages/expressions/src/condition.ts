import type { Evaluate } from './evaluation/access.ts';
import type { EvaluationContext } from './evaluation/evaluation-context.ts';
import { ExpressionError, isProblems, type ExpressionProblem } from './expression.error.ts';
import { readExpression } from './expression.ts';
import { Frame } from './evaluation/frame.ts';
import type { InputUses } from './checks/input-uses.ts';
import type { Names } from './checks/names.ts';

export interface Condition {
  readonly test: (context: Partial<EvaluationContext>) => boolean;
  readonly roots: ReadonlySet<string>;
  readonly inputs: InputUses;
}

const truthTypes = new Set(['bool', 'dyn', 'dyn<bool>']);

/**
 * Compiles an expression whose value is true or false, or returns every problem. The compiled `test` throws
 * ExpressionError.
 */
export function readCondition(source: string, names: Names): Condition | readonly ExpressionProblem[] {
  const read = readExpression(source, names);
  if (isProblems(read)) return read;
  if (truthTypes.has(read.type)) return { test: testOf(read.evaluate), roots: read.roots, inputs: read.inputs };
  const type = read.type === 'double' ? 'number' : read.type;
  return [{ message: `The condition must be true or false, but its type is ${type}.` }];
}

function testOf(evaluate: Evaluate): Condition['test'] {
  return (context) => {
    const result = evaluate(new Frame(context));
    if (typeof result === 'boolean') return result;
    throw new ExpressionError('The condition must be true or false.');
  };
}
