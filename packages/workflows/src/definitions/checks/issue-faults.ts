import { toErrorDetails, didYouMean } from '@relata/schemas/errors';
import type { z } from 'zod';
import { type DefinitionFault, faultAt, type Path } from '../definition.error.ts';

type Issue = z.core.$ZodIssue;

/** Returns the faults that a schema finds in a value at a path of the definition. */
export function toFaults(schema: z.ZodType, value: unknown, path: Path): DefinitionFault[] {
  const { error } = schema.safeParse(value);
  return (error?.issues ?? []).flatMap((issue) => faultsOfIssue(issue, value, path));
}

function faultsOfIssue(issue: Issue, value: unknown, path: Path): DefinitionFault[] {
  const place = [...path, ...issue.path];
  if (issue.code === 'unrecognized_keys') return unknownKeys(issue, place);
  if (issue.code === 'invalid_union') return ofFirstChoice(issue, value, path);
  if (issue.code === 'invalid_key') return [faultAt(place, issue.issues[0]?.message ?? issue.message)];
  const [detail] = toErrorDetails('body', [issue], value);
  return [faultAt(place, detail!.message, hintFor(issue, valueAt(value, issue.path)))];
}

/** Returns a fault for each unknown key. The message has one line per key: its hint, which may be empty. */
function unknownKeys({ keys, message }: z.core.$ZodIssueUnrecognizedKeys, place: Path): DefinitionFault[] {
  const hints = message.split('\n');
  return keys.map((key, i) => faultAt([...place, key], `Unknown key ${shown(key)}.`, hints[i] || undefined));
}

const shownMax = 64;

/** Returns a key for a message, cut at 64 characters. */
export function shown(key: string): string {
  return key.length > shownMax ? `${key.slice(0, shownMax)}…` : key;
}

/**
 * Returns the faults of the first alternative of a union. The second alternative is an expression, but a value without
 * `${{` is not meant as an expression.
 */
function ofFirstChoice(issue: z.core.$ZodIssueInvalidUnion, value: unknown, path: Path): DefinitionFault[] {
  const [first = []] = issue.errors;
  return first.flatMap((inner) => faultsOfIssue({ ...inner, path: [...issue.path, ...inner.path] }, value, path));
}

function hintFor(issue: Issue, value: unknown): string | undefined {
  if (issue.code !== 'invalid_value' || typeof value !== 'string') return undefined;
  return didYouMean(value, issue.values.map(String));
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key], value);
}
