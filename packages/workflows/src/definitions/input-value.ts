import { emailAddress, instant, isUuid } from '@relata/schemas';
import { cleanText, type InputType } from '@relata/expressions';

/** A typed input of a workflow. An input with a default always has a value. */
export interface InputSpec {
  type: InputType;
  format?: 'email' | 'uri' | 'uuid' | 'date-time' | undefined;
  required?: boolean | undefined;
  default?: unknown;
  description?: string | undefined;
}

/** The value of an input, undefined if it has none; or its problem, as a code and as the end of a sentence. */
export type InputValue = { value: unknown } | { problem: string; code: InputFault };

export type InputFault = 'required' | 'invalid_type' | 'invalid_format' | 'out_of_range';

/**
 * Reads the value given for an input. Undefined, null and '' count as no value: the default replaces them. A string is
 * converted to a number or boolean if the type requires it, and vice versa. Characters of a string that cannot be
 * stored are replaced. An object or array is returned unchanged, so `cleanJson` or `storableJson` has to clean it.
 */
export function readInput(spec: InputSpec, given: unknown): InputValue {
  if (given === undefined || given === null || given === '') {
    if (spec.default !== undefined) return { value: spec.default };
    return spec.required ? { problem: 'is required', code: 'required' } : { value: undefined };
  }
  if (spec.type === 'number' && isBeyondNumber(given)) return outOfRange('must be a number of at most 2^53');
  const value = convert(spec, given);
  return checkInputValue(spec, typeof value === 'string' ? cleanText(value) : value);
}

const wholeNumeral = /^-?(?:0|[1-9]\d*)$/;

/** Returns true for a whole number that JavaScript would round. It may be a string, because some senders quote ids. */
function isBeyondNumber(given: unknown): boolean {
  if (typeof given !== 'string') return typeof given === 'bigint';
  return wholeNumeral.test(given) && !Number.isSafeInteger(Number(given));
}

const numeral = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function convert({ type }: InputSpec, given: unknown): unknown {
  if (typeof given === 'string') {
    if (type === 'number' && numeral.test(given)) return Number(given);
    if (type === 'boolean' && (given === 'true' || given === 'false')) return given === 'true';
  }
  if (type !== 'string') return given;
  return typeof given === 'boolean' || typeof given === 'bigint' || isExact(given) ? String(given) : given;
}

/**
 * Returns true if a number converts to a string without loss. A whole number beyond 2^53 that is not a bigint was
 * written with an exponent, so its exact digits are unknown.
 */
function isExact(given: unknown): boolean {
  return (
    typeof given === 'number' && Number.isFinite(given) && (!Number.isInteger(given) || Number.isSafeInteger(given))
  );
}

/** Checks a value against the type and format of an input, without converting it. */
export function checkInputValue({ type, format }: InputSpec, value: unknown): InputValue {
  const [isFit, problem] = types[type];
  const rangeProblem = typeof value === 'number' ? numberProblems[type] : undefined;
  if (!isFit(value)) return rangeProblem ? outOfRange(rangeProblem) : { problem, code: 'invalid_type' };
  return format === undefined ? { value } : formats[format](value as string);
}

const types: Record<InputSpec['type'], [isFit: (value: unknown) => boolean, problem: string]> = {
  string: [(value) => typeof value === 'string', 'must be a string'],
  number: [(value) => typeof value === 'number' && Number.isFinite(value), 'must be a number'],
  boolean: [(value) => typeof value === 'boolean', 'must be true or false'],
  object: [(value) => typeof value === 'object' && value !== null && !Array.isArray(value), 'must be an object'],
  array: [Array.isArray, 'must be an array'],
};

const numberProblems: Partial<Record<InputSpec['type'], string>> = {
  string: 'is a whole number above 2^53; send it as a string',
  number: 'must be a number that JSON can hold',
};

const urlMax = 2_048;
const email = emailAddress();
const dateTime = instant();

const formats: Record<NonNullable<InputSpec['format']>, (value: string) => InputValue> = {
  email: (value) => keptIf(email.safeParse(value).success, value, 'must be an email address'),
  uuid: (value) => keptIf(isUuid(value), value.toLowerCase(), 'must be a UUID'),
  uri: (value) => keptIf(value.length <= urlMax && URL.canParse(value), value, 'must be a URI'),
  'date-time': (value) => {
    const { data } = dateTime.safeParse(value);
    return keptIf(data !== undefined, data, 'must be a date and time with a zone, like 2026-01-31T09:30:00Z');
  },
};

function keptIf(isFit: boolean, value: unknown, problem: string): InputValue {
  return isFit ? { value } : { problem, code: 'invalid_format' };
}

function outOfRange(problem: string): InputValue {
  return { problem, code: 'out_of_range' };
}
