import { isProblems } from '@relata/expressions';
import { validationError } from '@relata/schemas/errors';
import { readFilter } from '../triggers/filter.ts';
import { isForm } from '@relata/schemas/form-body';
import { type YieldToLoop, readPayloadInSlices } from './parse-body.ts';

interface ExaminedDelivery {
  id: string;
  body: Buffer;
  headers: Record<string, string>;
}

/** A condition of a search. It throws if it has no result for a delivery, and yields while it searches a large body. */
export type SearchCondition = (delivery: ExaminedDelivery, yieldToLoop: YieldToLoop) => Promise<boolean>;

/** Compiles an expression, written like the filter of a trigger. Throws `validation_error` with its first problem. */
export function expressionCondition(where: string): SearchCondition {
  const read = readFilter(where);
  if (isProblems(read)) {
    const message = ['The expression is wrong:', read[0]!.message, read[0]!.hint].filter(Boolean).join(' ');
    throw validationError([{ in: 'body', field: 'where', code: 'invalid_format', message }]);
  }
  return async (delivery, yieldToLoop) =>
    read({ payload: await readPayloadInSlices(delivery, yieldToLoop), headers: delivery.headers });
}

/** Minimum length of a text that is compared with ids. Too many ids would begin with a shorter text. */
const idCharactersMin = 8;

/** Converts to lower case. Final sigmas become ordinary: which one a capital sigma becomes depends on what follows. */
const inLowerCase = (text: string) => text.toLowerCase().replaceAll('\u03c2', '\u03c3');

/** Returns a condition that a value contains one of the texts, ignoring case. */
export function containsAny(texts: readonly string[]): (value: string) => boolean {
  const wanted = texts.map(inLowerCase);
  return (value) => {
    const lower = inLowerCase(value);
    return wanted.some((text) => lower.includes(text));
  };
}

/**
 * Returns a condition that is true if one of the texts occurs at the beginning of the id, in the value of a header, or
 * in the body. Ignores case. The body is searched last, because reading it may throw.
 */
export function textCondition(...texts: readonly string[]): SearchCondition {
  const idParts = texts.filter(({ length }) => length >= idCharactersMin).map((text) => text.toLowerCase());
  const isIn = containsAny(texts);
  return async (delivery, yieldToLoop) =>
    idParts.some((text) => delivery.id.startsWith(text)) ||
    Object.values(delivery.headers).some(isIn) ||
    (await isInBody(delivery, isIn, yieldToLoop));
}

/** Searches a body as it was sent and, if it is a form or has escapes such as `\u0040` or `\/`, also decoded. */
async function isInBody(
  { body, headers }: ExaminedDelivery,
  isIn: (text: string) => boolean,
  yieldToLoop: YieldToLoop,
) {
  const sent = body.toString('utf8');
  if (isIn(sent)) return true;
  if (!sent.includes('\\') && !isForm(headers)) return false;
  return isInTexts(await readPayloadInSlices({ body, headers }, yieldToLoop), isIn, yieldToLoop);
}

/** Number of values to compare before the search yields to the event loop; this takes about 2 ms. */
const valuesPerTurn = 5_000;

/** Returns true if any key or string in a JSON value matches. */
async function isInTexts(json: unknown, isIn: (text: string) => boolean, yieldToLoop: YieldToLoop): Promise<boolean> {
  const open: Iterator<unknown>[] = [[json].values()];
  for (let count = 1; open.length > 0; count++) {
    if (count % valuesPerTurn === 0) await yieldToLoop();
    const { done, value } = open.at(-1)!.next();
    if (done) open.pop();
    else if (typeof value === 'string') {
      if (isIn(value)) return true;
    } else if (typeof value === 'object' && value !== null) open.push(membersOf(value));
  }
  return false;
}

/** Returns the items of a list, or the keys and values of an object. */
function membersOf(value: object): Iterator<unknown> {
  if (Array.isArray(value)) return value.values();
  return Object.keys(value)
    .values()
    .flatMap((key) => [key, (value as Record<string, unknown>)[key]]);
}
