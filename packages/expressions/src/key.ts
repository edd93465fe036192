import type { EvaluationContext } from './evaluation/evaluation-context.ts';
import { ExpressionError, type Problem } from './expression.error.ts';
import { isProblems, readExpression } from './expression.ts';
import { Frame } from './evaluation/frame.ts';
import { isNumber, kindOf, type Value } from './evaluation/value.ts';
import type { Names } from './checks/names.ts';

/** The text of its value; undefined for null and ''. Throws ExpressionError where it has none. */
export type Key = (context: Partial<EvaluationContext>) => string | undefined;

const keyTypes = new Set(['string', 'int', 'double', 'null', 'dyn', 'dyn<string>', 'dyn<int>', 'dyn<double>']);

/** Compiles an expression whose value is a text or a number; throws ExpressionError, as the key itself does. */
export function compileKey(source: string, names: Names): Key {
  const read = readKey(source, names);
  if (typeof read === 'function') return read;
  throw new ExpressionError(read[0]!.message, read[0]!.hint);
}

/** The same, but returns every problem instead of throwing the first. */
export function readKey(source: string, names: Names): Key | readonly Problem[] {
  const read = readExpression(source, names);
  if (isProblems(read)) return read;
  if (keyTypes.has(read.type)) return (context) => textOf(read.evaluate(new Frame(context)));
  return [{ message: `The value is neither a text nor a number, but: ${read.type}.` }];
}

function textOf(value: Value): string | undefined {
  if (value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  if (isNumber(value)) return String(value);
  throw new ExpressionError(`The value is neither a text nor a number, but: ${kindOf(value)}.`);
}
