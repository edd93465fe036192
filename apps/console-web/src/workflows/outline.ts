import { countedText } from '../ui/data/count.ts';

/** A step of a workflow, in words. Steps are listed in order of execution. */
export interface StepLine {
  id: string;
  use: string;
  when: string | undefined;
  /** Inputs of the step: a path such as `set.email`, and the value as written in the definition. */
  given: readonly (readonly [path: string, value: string])[];
  /** Rules for retries, timeout and failure, as sentences. */
  rules: readonly string[];
  steps: readonly StepLine[];
}

export interface InputLine {
  name: string;
  type: string;
  /** Effect on a delivery without a value for the input. */
  otherwise: string;
  description: string;
}

type Members = Record<string, unknown>;

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const listIn = (value: unknown): Members[] => (Array.isArray(value) ? value.filter(isMembers) : []);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** Returns a member of a definition as text; empty if it is missing. */
export function textIn(definition: unknown, name: string): string {
  return isMembers(definition) ? textOf(definition[name]) : '';
}

/** Returns the steps of a definition. Skips unknown parts, because the definition may be from another release. */
export function stepLines(definition: unknown): StepLine[] {
  return isMembers(definition) ? listIn(definition['steps']).map(stepLine) : [];
}

function stepLine(step: Members): StepLine {
  return {
    id: textOf(step['id']),
    use: textOf(step['use']),
    when: step['when'] === undefined ? undefined : textOf(step['when']),
    given: leaves(step['with'], ''),
    rules: rulesOf(step),
    steps: listIn(step['steps']).map(stepLine),
  };
}

/** Returns all values in a nested value with their paths; empty objects and arrays count as values. */
function leaves(value: unknown, path: string): (readonly [string, string])[] {
  if (value === undefined) return [];
  const entries = Array.isArray(value)
    ? value.map((item, i) => [`${path}[${i}]`, item] as const)
    : isMembers(value)
      ? Object.entries(value).map(([key, member]) => [path ? `${path}.${key}` : key, member] as const)
      : [];
  return entries.length > 0 ? entries.flatMap(([at, inner]) => leaves(inner, at)) : [[path, textOf(value)]];
}

function rulesOf({ retry, timeout, on_error: onError }: Members): string[] {
  const { max_attempts: attempts, initial_delay: first, max_delay: longest } = isMembers(retry) ? retry : {};
  return [
    ...(attempts === undefined ? [] : [`At most ${countedText(Number(attempts), 'attempt')}.`]),
    ...(first === undefined ? [] : [`Retries after ${textOf(first)}.`]),
    ...(longest === undefined ? [] : [`Longest delay between attempts: ${textOf(longest)}.`]),
    ...(timeout === undefined ? [] : [`Timeout per attempt: ${textOf(timeout)}.`]),
    ...(onError === 'continue' ? ['If it fails, the run continues.'] : []),
  ];
}

export function inputLines(definition: unknown): InputLine[] {
  const inputs = isMembers(definition) ? definition['inputs'] : undefined;
  return Object.entries(isMembers(inputs) ? inputs : {}).map(([name, spec]) =>
    inputLine(name, isMembers(spec) ? spec : {}),
  );
}

function inputLine(name: string, { type, format, required, default: fallback, description }: Members): InputLine {
  return {
    name,
    type: format === undefined ? textOf(type) : `${textOf(type)}, ${textOf(format)}`,
    otherwise: otherwise(required === true, fallback),
    description: textOf(description),
  };
}

function otherwise(isRequired: boolean, fallback: unknown): string {
  if (fallback !== undefined) return textOf(fallback);
  return isRequired ? 'Does not start' : 'Left out';
}
