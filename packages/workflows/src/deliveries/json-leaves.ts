/** A scalar value of a JSON text. */
export interface JsonLeaf {
  keys: readonly (string | number)[];
  /** A string without its quotes; a number, `true` or `false` as written. */
  text: string;
}

interface Open {
  isArray: boolean;
  key: string | number;
  awaitsKey: boolean;
}

const token = /[\s]*(?:([{}[\],:])|("(?:[^"\\]|\\.)*")|([^\s{}[\],:"]+))/sy;

/**
 * Yields the scalar values of a JSON text in order, even if the text was cut at any position. Leaves out `null`, and
 * the last value if it may be incomplete. For text that is not JSON it yields some values or none, and never throws.
 */
export function* jsonLeaves(json: string): Generator<JsonLeaf> {
  const open: Open[] = [];
  token.lastIndex = 0;
  for (let at = 0; at < json.length; at = token.lastIndex) {
    token.lastIndex = at;
    const [, sign, quoted, plain] = token.exec(json) ?? [];
    const within = open.at(-1);
    const end = token.lastIndex;
    if (sign) step(open, sign);
    else if (quoted && within?.awaitsKey) within.key = textOf(quoted);
    else if (quoted) yield { keys: open.map(({ key }) => key), text: textOf(quoted) };
    else if (plain === undefined) return;
    else if (plain !== 'null' && end < json.length) yield { keys: open.map(({ key }) => key), text: plain };
    // Another generator may have used the pattern while this generator was suspended.
    token.lastIndex = end;
  }
}

function step(open: Open[], sign: string): void {
  const within = open.at(-1);
  if (sign === '{') open.push({ isArray: false, key: '', awaitsKey: true });
  else if (sign === '[') open.push({ isArray: true, key: 0, awaitsKey: false });
  else if (sign === '}' || sign === ']') open.pop();
  else if (!within) return;
  else if (sign === ':') within.awaitsKey = false;
  else if (within.isArray) within.key = Number(within.key) + 1;
  else within.awaitsKey = true;
}

function textOf(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted.slice(1, -1);
  }
}
