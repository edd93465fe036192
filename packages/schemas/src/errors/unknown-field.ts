import type { z } from 'zod';
import { closestName } from './closest-name.ts';
import type { ErrorDetail } from './error-body.ts';

/**
 * Maximum number of unknown fields that are compared with known names, since comparing is expensive. Messages about
 * further unknown fields contain no names.
 */
const comparedMax = 10;
/** Maximum length of the list of names in a message, in characters. `allowed` has all of them. */
const listMax = 300;

/** Describes each unknown field of one part of a request: the name that was probably meant, or the known names. */
export function unknownFields(
  part: ErrorDetail['in'],
  { keys, path }: z.core.$ZodIssueUnrecognizedKeys,
  schema?: z.ZodObject,
): ErrorDetail[] {
  const what = part === 'query' ? 'parameter' : 'field';
  const known = schema && path.length === 0 ? writableNames(schema) : undefined;
  return keys.map((key, at) => {
    const { text = '', ...names } = known ? (at < comparedMax ? hintOf(key, known, what) : { allowed: known }) : {};
    return {
      in: part,
      field: [...path, key].join('.'),
      code: 'unknown_field',
      message: `Unknown ${what}.${text}`,
      ...names,
    };
  });
}

/** Returns the fields that a caller may set. Suggesting fields that are accepted but ignored would not help. */
function writableNames({ shape }: z.ZodObject): string[] {
  return Object.keys(shape).filter((name) => (shape[name] as z.ZodType).meta()?.['readOnly'] !== true);
}

/** The end of a message, and the names that it mentions. */
interface Hint {
  text?: string;
  allowed?: string[];
  suggestion?: string;
}

function hintOf(name: string, known: string[], what: string): Hint {
  if (known.length === 0) return { text: ` No ${what}s are allowed here.`, allowed: [] };
  const suggestion = withOperator(name, known) ?? withPart(name, known) ?? closestName(name, known);
  if (suggestion !== undefined) return { text: ` Did you mean ${suggestion}?`, suggestion };
  const listed = fitting(known);
  const more = listed.length < known.length ? ', ….' : '.';
  return { text: ` Available: ${listed.join(', ')}${more}`, allowed: known };
}

/** Returns a filter for the name of a field that has no filter without an operator: `amount[gte]` for `amount`. */
function withOperator(name: string, known: readonly string[]): string | undefined {
  return known.find((each) => each === `${name}[gte]`) ?? known.find((each) => each.startsWith(`${name}[`));
}

/**
 * Returns the known name that contains the given name as a word, if there is only one: `owner_id` for `owner`,
 * `account_name` for `name`. `id` gets no suggestion: it is the id of the record itself, and the suggested field would
 * be the id of another record.
 */
function withPart(name: string, known: readonly string[]): string | undefined {
  if (name === 'id') return undefined;
  const having = known.filter((each) => !each.includes('[') && each.split('_').includes(name));
  return having.length === 1 ? having[0] : undefined;
}

/** Returns as many of the names as fit into `listMax`, at least one. */
function fitting(names: readonly string[]): string[] {
  const fit = [names[0]!];
  let length = names[0]!.length;
  for (const name of names.slice(1)) {
    if (length + name.length > listMax) break;
    fit.push(name);
    length += name.length + 2;
  }
  return fit;
}
