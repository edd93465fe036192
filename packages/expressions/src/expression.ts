import { type ASTNode, ParseError } from '@marcbachmann/cel-js';
import { cleanText } from './clean-text.ts';
import type { Evaluate } from './evaluation/access.ts';
import { checkNames } from './checks/check-names.ts';
import { findInputUses, type InputUses } from './checks/input-uses.ts';
import { checkTypes, toProblem } from './checks/check-types.ts';
import { compileNode } from './evaluation/compile-node.ts';
import type { ExpressionProblem } from './expression.error.ts';
import type { Names } from './checks/names.ts';

/** Maximum length of an expression, in characters. */
export const sourceMax = 2_000;

export interface Expression {
  readonly evaluate: Evaluate;
  /** The cel-js name of the expression's type; `dyn` if the type is only known after evaluation. */
  readonly type: string;
  readonly roots: ReadonlySet<string>;
  /** Names of the secrets that the expression reads. */
  readonly secrets: ReadonlySet<string>;
  readonly inputs: InputUses;
}

/** Parses, checks and compiles an expression, or returns every problem it has. */
export function readExpression(source: string, names: Names): Expression | readonly ExpressionProblem[] {
  if (source.length > sourceMax) return [{ message: `The expression is longer than ${sourceMax} characters.` }];
  if (source.trim() === '') return [{ message: 'The expression is empty.' }];
  if (cleanText(source) !== source) return [{ message: 'The expression has characters that cannot be stored.' }];
  const node = parse(source, names);
  if ('message' in node) return [node];
  const { problems, roots, secrets } = checkNames(node, names);
  if (problems.length > 0) return problems;
  const type = checkTypes(source, node, names.types);
  if (typeof type !== 'string') return [type];
  return { evaluate: compileNode(node, undefined), type, roots, secrets, inputs: findInputUses(node) };
}

function parse(source: string, { types }: Names): ASTNode | ExpressionProblem {
  try {
    return types.parse(source).ast;
  } catch (error) {
    if (error instanceof ParseError) return toProblem(source, error);
    throw error;
  }
}
