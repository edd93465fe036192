import { z } from 'zod';
import { detailsMax } from './app-error.ts';
import { isRecord } from '../fields/is-record.ts';
import type { DetailCode } from './detail-codes.ts';
import type { ErrorDetail } from './error-body.ts';
import { unknownFields } from './unknown-field.ts';

type Part = ErrorDetail['in'];
type Issue = z.core.$ZodIssue;

export interface ReadPart {
  value: unknown;
  details: ErrorDetail[];
  /** Number of problems beyond those in `details`. */
  unnamed: number;
}

/**
 * Reads one part of a request. Checks only as many unknown fields as the error can name. `unkept` is the number of
 * unknown fields that were already dropped from `input`.
 */
export function readPart(part: Part, schema: z.ZodObject, input: unknown, unkept = 0): ReadPart {
  const names = isRecord(input) ? Object.keys(input) : [];
  if (names.length <= detailsMax || !(schema.def.catchall instanceof z.ZodNever))
    return parsePart(part, schema, input, 0);
  const read = readMany(part, schema, input as Record<string, unknown>, names);
  return { ...read, unnamed: read.unnamed + unkept };
}

/**
 * Reads a part with very many fields: it checks only known fields and the first unknown ones. A body of 1 MB has room
 * for 95,000 fields. Checking and explaining all of them would be wasted, since the error names only a hundred.
 */
function readMany(part: Part, schema: z.ZodObject, input: Record<string, unknown>, names: readonly string[]): ReadPart {
  const unknown = names.filter((name) => !Object.hasOwn(schema.shape, name));
  const known = Object.keys(schema.shape).filter((name) => Object.hasOwn(input, name));
  // Without a prototype, so that `__proto__` is a field like any other.
  const bounded = Object.create(null) as Record<string, unknown>;
  for (const name of known.concat(unknown.slice(0, detailsMax))) bounded[name] = input[name];
  return parsePart(part, schema, bounded, Math.max(0, unknown.length - detailsMax));
}

function parsePart(part: Part, schema: z.ZodObject, input: unknown, unnamed: number): ReadPart {
  const parsed = schema.safeParse(input);
  if (parsed.success) return { value: parsed.data, details: [], unnamed: 0 };
  const found = nameProblems(part, parsed.error.issues, input, schema);
  return { value: undefined, details: found.details, unnamed: found.unnamed + unnamed };
}

/** Returns the first hundred problems that a schema found in one part of a request, with the API's own codes. */
export function toErrorDetails(part: Part, issues: readonly Issue[], input: unknown): ErrorDetail[] {
  return nameProblems(part, issues, input).details;
}

function nameProblems(part: Part, issues: readonly Issue[], input: unknown, schema?: z.ZodObject) {
  const details: ErrorDetail[] = [];
  let unnamed = 0;
  for (const [i, issue] of issues.entries()) {
    if (i > 0 && isRepeat(part, issue, issues[i - 1]!, input)) continue;
    const room = detailsMax - details.length;
    if (issue.code === 'unrecognized_keys') {
      details.push(...unknownFields(part, { ...issue, keys: issue.keys.slice(0, room) }, schema));
      unnamed += Math.max(0, issue.keys.length - room);
    } else if (room === 0) unnamed++;
    else details.push({ in: part, field: fieldOf(part, issue), ...explain(issue, valueAt(input, issue.path)) });
  }
  return { details, unnamed };
}

/** Returns the path of a field. All values of a repeated parameter count as one field. */
const fieldOf = (part: Part, { path }: Issue) => (part === 'query' ? String(path[0] ?? '') : path.join('.'));

/**
 * Returns true if two issues report the same problem of a field. If a number is too large, zod reports it twice: as
 * above the maximum, and as too large to be exact.
 */
function isRepeat(part: Part, issue: Issue, before: Issue, input: unknown): boolean {
  if (issue.code === 'unrecognized_keys' || before.code === 'unrecognized_keys') return false;
  if (fieldOf(part, issue) !== fieldOf(part, before)) return false;
  return explain(issue, valueAt(input, issue.path)).code === explain(before, valueAt(input, before.path)).code;
}

/**
 * Returns the value at a path. A list parameter that is given once is still a string, so the rest of the path is
 * ignored.
 */
function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'string' ? value : (value as Record<PropertyKey, unknown> | undefined)?.[key]),
    input,
  );
}

interface Explanation {
  code: DetailCode;
  message: string;
  allowed?: string[];
}

function explain(issue: Issue, value: unknown): Explanation {
  if (issue.code === 'custom') return { code: issue.params?.code as DetailCode, message: issue.message };
  if (value === undefined) return { code: 'required', message: 'Is required.' };
  if (value === null && issue.path.length > 0) return { code: 'null_not_allowed', message: 'Must not be null.' };
  if (issue.code === 'invalid_value') return explainEnum(issue, value);
  if (issue.code === 'too_small') return tooSmall(issue);
  if (issue.code === 'too_big') return tooBig(issue);
  if (issue.code === 'invalid_type') return explainType(issue, value);
  return { code: 'invalid_format', message: issue.message };
}

function explainEnum(issue: z.core.$ZodIssueInvalidValue, value: unknown): Explanation {
  if (typeof value !== 'string') return { code: 'invalid_type', message: 'Must be a string.' };
  const allowed = issue.values.map(String);
  return { code: 'invalid_enum', message: `Must be one of: ${allowed.join(', ')}.`, allowed };
}

function tooSmall(issue: z.core.$ZodIssueTooSmall): Explanation {
  if (issue.origin === 'array') return { code: 'too_short', message: `Must have at least ${items(issue.minimum)}.` };
  return { code: 'out_of_range', message: `Must be at least ${issue.minimum}.` };
}

function tooBig(issue: z.core.$ZodIssueTooBig): Explanation {
  if (issue.origin === 'array') return { code: 'too_many', message: `Must have at most ${items(issue.maximum)}.` };
  return { code: 'out_of_range', message: `Must be at most ${issue.maximum}.` };
}

const items = (count: number | bigint) => `${count} item${Number(count) === 1 ? '' : 's'}`;

function explainType(issue: z.core.$ZodIssueInvalidType, value: unknown): Explanation {
  if (typeof value === 'number') {
    if (issue.expected === 'int') return { code: 'invalid_type', message: 'Must be a whole number.' };
    if (issue.expected === 'number') return { code: 'out_of_range', message: 'Must be a finite number.' };
  }
  return { code: 'invalid_type', message: `Must be ${described[issue.expected] ?? `a ${issue.expected}`}.` };
}

const described: Record<string, string> = {
  array: 'an array',
  int: 'a whole number',
  object: 'an object',
  record: 'an object',
};
