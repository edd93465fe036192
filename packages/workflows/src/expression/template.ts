import { ExpressionError, type Problem } from './expression.error.ts';
import { type Expression, isProblems, readExpression } from './expression.ts';
import { Frame, textMax } from './frame.ts';
import type { Names } from './names.ts';
import { Results } from './result.ts';
import { hasExpression, scanTemplate } from './template.scan.ts';
import type { Json } from './value.ts';

/** A problem, and where in the value it is. */
export interface TemplateProblem extends Problem {
  readonly path: readonly (string | number)[];
}

export interface Template {
  /** The value with its expressions evaluated; to be read only, as it may share parts with the definition. */
  readonly evaluate: (scope: object) => Json;
  readonly roots: ReadonlySet<string>;
}

interface Evaluation {
  readonly frame: Frame;
  readonly results: Results;
}

type Fill = (evaluation: Evaluation) => Json;
type Path = readonly (string | number)[];

interface Reading {
  readonly names: Names;
  readonly problems: TemplateProblem[];
  readonly roots: Set<string>;
}

/**
 * Compiles a JSON value in whose strings `${{ expression }}` stands for a value. A string that is one expression
 * takes the type of its value; in any other, values become text: null nothing, a string itself, all else its JSON.
 * Keys are literal. `${{ '${{' }}` writes the opening itself. Throws ExpressionError, as the evaluation does.
 */
export function compileTemplate(value: unknown, names: Names, path: Path = []): Template {
  const read = readTemplate(value, names, path);
  if (!('evaluate' in read)) throw new ExpressionError(read[0]!.message, read[0]!.hint);
  return read;
}

/** The same, telling every problem, below the path that leads to the value. */
export function readTemplate(value: unknown, names: Names, path: Path = []): Template | readonly TemplateProblem[] {
  const reading: Reading = { names, problems: [], roots: new Set() };
  const fill = read(value as Json, path, reading);
  if (reading.problems.length > 0) return reading.problems;
  const evaluate = (scope: object) => {
    const frame = new Frame(scope);
    return fill({ frame, results: new Results(frame) });
  };
  return { evaluate: hasParts(value) ? evaluate : () => value as Json, roots: reading.roots };
}

function hasParts(value: unknown): boolean {
  if (typeof value === 'string') return hasExpression(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasParts);
}

/** Beyond so many problems no more are looked for: each is compared with every name that may have been meant. */
const problemsMax = 200;

function read(value: Json, path: Path, reading: Reading): Fill {
  if (!hasParts(value) || reading.problems.length >= problemsMax) return () => value;
  if (typeof value === 'string') return readText(value, path, reading);
  if (Array.isArray(value)) {
    const items = value.map((item: Json, i) => read(item, [...path, i], reading));
    return (evaluation) => items.map((item) => item(evaluation));
  }
  const members = Object.entries(value as object).map(
    ([key, member]) => [key, read(member as Json, [...path, key], reading)] as const,
  );
  return (evaluation) => Object.fromEntries(members.map(([key, member]) => [key, member(evaluation)]));
}

function readText(text: string, path: Path, reading: Reading): Fill {
  const parts = scanTemplate(text);
  if (parts === undefined) {
    reading.problems.push({
      path,
      message: 'An expression is not closed with }}.',
      hint: "A text with ${{ itself is written ${{ '${{' }}.",
    });
    return () => null;
  }
  const fills = parts.map((part) => (typeof part === 'string' ? () => part : readPart(part.source, path, reading)));
  return fills.length === 1 ? fills[0]! : (evaluation) => joinTexts(fills, evaluation);
}

function readPart(source: string, path: Path, reading: Reading): Fill {
  const expression = readExpression(source, reading.names);
  if (isProblems(expression)) {
    for (const problem of expression) reading.problems.push({ path, ...problem });
    return () => null;
  }
  for (const root of expression.roots) reading.roots.add(root);
  return fillOf(expression, path);
}

function fillOf({ evaluate }: Expression, path: Path): Fill {
  return ({ frame, results }) => {
    try {
      return results.toJson(evaluate(frame));
    } catch (error) {
      throw error instanceof ExpressionError && path.length > 0 ? error.at(path.join('.')) : error;
    }
  };
}

function joinTexts(fills: readonly Fill[], evaluation: Evaluation): string {
  const text = fills.map((fill) => textOf(fill(evaluation))).join('');
  if (text.length > textMax) throw new ExpressionError('The text is longer than 1 MB.');
  return text;
}

function textOf(value: Json): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
