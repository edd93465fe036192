import type { z } from 'zod';
import { closestName } from './closest-name.ts';
import type { ErrorDetail } from './errors.ts';

/** To compare names is expensive, and a body may have a thousand unknown fields: the first few are compared. */
const comparedMax = 10;
/** Characters of a list of names. */
const listMax = 300;

/** Names each unknown field of one part of a request, and says what was probably meant, or what there is. */
export function unknownFields(
  part: ErrorDetail['in'],
  { keys, path }: z.core.$ZodIssueUnrecognizedKeys,
  schema?: z.ZodObject,
): ErrorDetail[] {
  const what = part === 'query' ? 'parameter' : 'field';
  const known = schema && path.length === 0 ? writableNames(schema) : undefined;
  return keys.map((key, at) => {
    const hint = known && at < comparedMax ? ` ${hintOf(key, known, what)}` : '';
    return {
      in: part,
      field: [...path, key].join('.'),
      code: 'unknown_field',
      message: `There is no such ${what}.${hint}`,
    };
  });
}

/** Fields that are accepted and ignored are no help in finding the right name. */
function writableNames({ shape }: z.ZodObject): string[] {
  return Object.keys(shape).filter((name) => (shape[name] as z.ZodType).meta()?.['readOnly'] !== true);
}

function hintOf(name: string, known: readonly string[], what: string): string {
  if (known.length === 0) return `There are no ${what}s here.`;
  const closest = closestName(name, known);
  return closest === undefined ? `There is: ${listed(known)}.` : `Did you mean ${closest}?`;
}

/** The names, or as many as there is room for. */
function listed(names: readonly string[]): string {
  let text = names[0]!;
  for (const name of names.slice(1)) {
    if (text.length + name.length > listMax) return `${text}, …`;
    text += `, ${name}`;
  }
  return text;
}
