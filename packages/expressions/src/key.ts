import type { EvaluationContext } from './evaluation/evaluation-context.ts';
import { ExpressionError, isProblems, type ExpressionProblem } from './expression.error.ts';
import { readExpression } from './expression.ts';
import { Frame } from './evaluation/frame.ts';
import { isNumber, valueKind, type Value } from './evaluation/value.ts';
import type { Names } from './checks/names.ts';

/**
 * Evaluates a key and returns it as a string; undefined for null and ''. Throws ExpressionError if the evaluation
 * fails, or if the value is neither a string nor a number.
 */
export type Key = (context: Partial<EvaluationContext>) => string | undefined;

const keyTypes = new Set(['string', 'int', 'double', 'null', 'dyn', 'dyn<string>', 'dyn<int>', 'dyn<double>']);

/** Compiles an expression whose value is a string or a number, or returns every problem. */
export function readKey(source: string, names: Names): Key | readonly ExpressionProblem[] {
  const read = readExpression(source, names);
  if (isProblems(read)) return read;
  if (keyTypes.has(read.type)) return (context) => textOf(read.evaluate(new Frame(context)));
  return [{ message: `The value must be a string or a number, but is: ${read.type}.` }];
}

function textOf(value: Value): string | undefined {
  if (value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  if (isNumber(value)) return String(value);
  throw new ExpressionError(`The value must be a string or a number, but is: ${valueKind(value)}.`);
}
