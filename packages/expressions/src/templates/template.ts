import type { EvaluationContext } from '../evaluation/evaluation-context.ts';
import { ExpressionError, isProblems, type ExpressionProblem } from '../expression.error.ts';
import { readExpression } from '../expression.ts';
import { Frame, textMax } from '../evaluation/frame.ts';
import type { InputUses } from '../checks/input-uses.ts';
import { type Names, withSecrets } from '../checks/names.ts';
import { Results } from './result.ts';
import { hasExpression, type Part, scanTemplate } from './scan-template.ts';
import { compileUrl } from './url-template.ts';
import { UnknownValueError } from '../evaluation/unknown-value.ts';
import type { Json } from '../evaluation/value.ts';

export interface TemplateProblem extends ExpressionProblem {
  readonly path: readonly (string | number)[];
}

export interface Template {
  /**
   * Returns the value with its expressions evaluated. Do not change it: it may share parts with the definition. In a
   * context without `secrets`, strings that read secrets stay as written.
   */
  readonly evaluate: (context: Partial<EvaluationContext>) => Json;
  /** Like `evaluate`, for a context with unknown values. Strings that read them become null; their paths are listed. */
  readonly evaluateKnown: (context: Partial<EvaluationContext>) => KnownValue;
  readonly roots: ReadonlySet<string>;
  readonly secrets: ReadonlySet<string>;
  /** Inputs that the strings of the template need. */
  readonly inputs: readonly NeededInputs[];
}

/** Inputs that a string's expressions read without testing for them with `has`, and the path of the string. */
interface NeededInputs extends Pick<InputUses, 'needed'> {
  readonly path: Path;
}

/** A value as far as it could be evaluated, and the paths of strings that read unknown values. */
export interface KnownValue {
  readonly value: Json;
  readonly unknown: readonly Path[];
}

interface Evaluation {
  /** If false, a string that reads secrets stays as written. */
  readonly hasSecrets: boolean;
  readonly frame: Frame;
  readonly results: Results;
  /** Collects the paths of strings that read unknown values. Undefined if reading an unknown value is an error. */
  readonly unknown: Path[] | undefined;
}

type Fill = (evaluation: Evaluation) => Json;
/**
 * A compiled part of a value: a function that evaluates it, or the part itself if it has no expressions, which takes
 * much less memory.
 */
type Filling = Fill | Json;
type Path = readonly (string | number)[];

/** Special rules for the expressions of one member of a value. */
interface MemberRule {
  /** True if the string is a URL. Values in it are percent-encoded, unless the whole string is one expression. */
  readonly isUrl?: boolean;
  /** True if the expressions may read `secrets`. */
  readonly hasSecrets?: boolean;
}

export type MemberRules = Readonly<Record<string, MemberRule>>;

interface Reading extends MemberRule {
  readonly names: Names;
  /** Rules for the members of the value being read. */
  readonly rules: MemberRules;
  readonly problems: TemplateProblem[];
  readonly roots: Set<string>;
  readonly secrets: Set<string>;
  readonly inputs: NeededInputs[];
}

/**
 * Compiles a JSON value whose strings may contain `${{ expression }}`. A string that is a single expression takes the
 * type of its value. In any other string, values become text: null becomes empty, a string stays as it is, and any
 * other value becomes JSON. Keys are literal. `${{ '${{' }}` yields a literal `${{`. If there are problems, returns
 * them instead, with paths that begin with the given one. The evaluation throws ExpressionError.
 */
export function readTemplate(
  value: unknown,
  names: Names,
  path: Path = [],
  rules: MemberRules = {},
): Template | readonly TemplateProblem[] {
  const reading: Reading = { names, rules, problems: [], roots: new Set(), secrets: new Set(), inputs: [] };
  const filling = read(value as Json, path, reading);
  if (reading.problems.length > 0) return reading.problems;
  const evaluate = (context: Partial<EvaluationContext>, unknown?: Path[]) => {
    const frame = new Frame(context);
    const hasSecrets = Object.hasOwn(context, 'secrets');
    return fill(filling, { frame, results: new Results(frame), hasSecrets, unknown });
  };
  const { roots, secrets, inputs } = reading;
  return {
    evaluate: hasParts(value) ? (context) => evaluate(context) : () => value as Json,
    evaluateKnown: (context) => {
      const unknown: Path[] = [];
      return { value: evaluate(context, unknown), unknown };
    },
    roots,
    secrets,
    inputs,
  };
}

function hasParts(value: unknown): boolean {
  if (typeof value === 'string') return hasExpression(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasParts);
}

/** Number of problems after which the check stops: each unknown name is compared with all known names. */
const problemsMax = 200;

function read(value: Json, path: Path, reading: Reading): Filling {
  if (!hasParts(value) || reading.problems.length >= problemsMax) return value;
  if (typeof value === 'string') return readText(value, path, reading);
  if (Array.isArray(value)) return fillItems(value.map((item: Json, i) => read(item, [...path, i], reading)));
  const members = Object.entries(value as object).map(
    ([key, member]) => [key, read(member as Json, [...path, key], readingOf(key, reading))] as const,
  );
  return fillMembers(members);
}

// These functions are separate, because a closure keeps every variable that any closure of the same scope uses.
// Closures created within `read` would keep the names, which take 30 KB.
function fillItems(items: readonly Filling[]): Fill {
  return (evaluation) => items.map((item) => fill(item, evaluation));
}

function fillMembers(members: readonly (readonly [string, Filling])[]): Fill {
  return (evaluation) => Object.fromEntries(members.map(([key, member]) => [key, fill(member, evaluation)]));
}

function fill(filling: Filling, evaluation: Evaluation): Json {
  return typeof filling === 'function' ? filling(evaluation) : filling;
}

function readingOf(key: string, reading: Reading): Reading {
  const rule = Object.hasOwn(reading.rules, key) ? reading.rules[key]! : {};
  const names = rule.hasSecrets ? withSecrets(reading.names) : reading.names;
  return { ...reading, ...rule, names, rules: {} };
}

function readText(text: string, path: Path, reading: Reading): Fill {
  const parts = scanTemplate(text);
  if (parts === undefined) {
    reading.problems.push({
      path,
      message: 'An expression is not closed with }}.',
      hint: "To write ${{ itself, use ${{ '${{' }}.",
    });
    return () => null;
  }
  const own: Reading = { ...reading, secrets: new Set() };
  const fillings = parts.map((part) => (typeof part === 'string' ? part : readPart(part.source, path, own)));
  for (const name of own.secrets) reading.secrets.add(name);
  const filling = notingUnknown(fillingOfParts(parts, fillings, path, reading), path);
  return own.secrets.size === 0 ? filling : ifSecrets(filling, text);
}

function ifSecrets(filling: Fill, text: string): Fill {
  return (evaluation) => (evaluation.hasSecrets ? filling(evaluation) : text);
}

function notingUnknown(filling: Filling, path: Path): Fill {
  return (evaluation) => {
    try {
      return fill(filling, evaluation);
    } catch (error) {
      if (!(error instanceof UnknownValueError) || !evaluation.unknown) throw error;
      evaluation.unknown.push(path);
      return null;
    }
  };
}

function fillingOfParts(parts: readonly Part[], fillings: readonly Filling[], path: Path, { isUrl }: Reading): Filling {
  if (fillings.length === 1) return fillings[0]!;
  return isUrl ? urlFill(parts, fillings, path) : (evaluation) => joinTexts(fillings, evaluation);
}

function urlFill(parts: readonly Part[], fillings: readonly Filling[], path: Path): Fill {
  const urlOf = compileUrl(parts);
  return (evaluation) => {
    const values = fillings.map((filling) => textOf(fill(filling, evaluation)));
    // Encoding processes each character separately.
    evaluation.frame.charge(values.reduce((sum, { length }) => sum + length, 0));
    return locating(path, () => urlOf(values));
  };
}

function readPart(source: string, path: Path, reading: Reading): Fill {
  const expression = readExpression(source, reading.names);
  if (isProblems(expression)) {
    for (const problem of expression) reading.problems.push({ path, ...problem });
    return () => null;
  }
  const { evaluate, roots, secrets, inputs } = expression;
  for (const root of roots) reading.roots.add(root);
  for (const name of secrets) reading.secrets.add(name);
  if (inputs.needed.size > 0) reading.inputs.push({ path, needed: inputs.needed });
  return ({ frame, results }) => locating(path, () => results.toJson(evaluate(frame)));
}

function locating<T>(path: Path, evaluate: () => T): T {
  try {
    return evaluate();
  } catch (error) {
    throw error instanceof ExpressionError && path.length > 0 ? error.at(path.join('.')) : error;
  }
}

function joinTexts(fillings: readonly Filling[], evaluation: Evaluation): string {
  const text = fillings.map((filling) => textOf(fill(filling, evaluation))).join('');
  if (text.length > textMax) throw new ExpressionError('The text is longer than 1 MB.');
  return text;
}

/** Converts a value to text, as in a string with several expressions. A missing value becomes an empty string. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
