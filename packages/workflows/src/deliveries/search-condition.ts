import { isProblems } from '@relata/expressions';
import { validationError } from '@relata/schemas/errors';
import { readFilter } from '../triggers/filter.ts';
import { isForm } from '@relata/schemas/form-body';
import { type GiveWay, readPayloadInSteps } from './parse-body.ts';

interface ExaminedDelivery {
  id: string;
  body: Buffer;
  headers: Record<string, string>;
}

/** Throws if the condition has no result for this delivery. Gives way while it reads and searches a large body. */
export type SearchCondition = (delivery: ExaminedDelivery, giveWay: GiveWay) => Promise<boolean>;

/** Compiles an expression, written like the filter of a trigger. Throws `validation_error` with its first problem. */
export function expressionCondition(where: string): SearchCondition {
  const read = readFilter(where);
  if (isProblems(read)) {
    const message = ['The expression is wrong:', read[0]!.message, read[0]!.hint].filter(Boolean).join(' ');
    throw validationError([{ in: 'body', field: 'where', code: 'invalid_format', message }]);
  }
  return async (delivery, giveWay) =>
    read({ payload: await readPayloadInSteps(delivery, giveWay), headers: delivery.headers });
}

/** Minimum length of a text that is compared with ids: a shorter text begins too many of them. */
const idCharactersMin = 8;

/** Finds a text in the body, in the value of a header, or at the beginning of the id; upper and lower case are equal. */
export function textCondition(text: string): SearchCondition {
  const wanted = text.toLowerCase();
  const isIdPart = wanted.length >= idCharactersMin;
  const isIn = (value: string) => value.toLowerCase().includes(wanted);
  return async (delivery, giveWay) =>
    (isIdPart && delivery.id.startsWith(wanted)) ||
    (await isInBody(delivery, isIn, giveWay)) ||
    Object.values(delivery.headers).some(isIn);
}

/**
 * A body is searched as it was sent and, if it has escapes such as `\u0040` or `\/` or is a form, as it reads without
 * them.
 */
async function isInBody({ body, headers }: ExaminedDelivery, isIn: (text: string) => boolean, giveWay: GiveWay) {
  const sent = body.toString('utf8');
  if (isIn(sent)) return true;
  if (!sent.includes('\\') && !isForm(headers)) return false;
  return isInTexts(await readPayloadInSteps({ body, headers }, giveWay), isIn, giveWay);
}

/** Values that are compared between two turns; it takes about two milliseconds. */
const valuesPerTurn = 5_000;

/** Returns true if any key or text of a JSON value matches. */
async function isInTexts(json: unknown, isIn: (text: string) => boolean, giveWay: GiveWay): Promise<boolean> {
  const open: Iterator<unknown>[] = [[json].values()];
  for (let count = 1; open.length > 0; count++) {
    if (count % valuesPerTurn === 0) await giveWay();
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
