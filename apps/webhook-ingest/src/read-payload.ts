import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { isLargeJson, loopTurns, readLargeJson } from '@relata/http';
import { type Party, QueueFullError } from '@relata/runtime';
import {
  isForm,
  isWithinLimits,
  jsonInForm,
  LimitsCheck,
  openedLimits,
  readFormFields,
  signedLimits,
  withExactNumbers,
} from '@relata/workflows/intake';
import { Refusal } from './refusal.ts';

interface ReceivedBody {
  body: Buffer;
  headers: IncomingHttpHeaders;
  /** Party whose turns are used to read a large body. */
  party: Party;
}

/**
 * Reads the body of a sender that has the secret in a header: a JSON object within the structural limits, or nothing
 * for an empty object. The limits are checked before the body is parsed.
 */
export async function readObject({ body, party }: ReceivedBody): Promise<object> {
  if (body.length === 0) return {};
  const text = isUtf8(body) ? body.toString('utf8') : '';
  if (!beginsObject.test(text)) throw new Refusal('invalid_json');
  if (!isWithinLimits(body, openedLimits)) throw new Refusal('too_complex');
  return (await parse(text, body, party)) as object;
}

const beginsObject = /^[ \t\n\r]*\{/;

/**
 * Reads the body of a sender of a known kind: any JSON of at most 200 levels, a form, or nothing for an empty object.
 */
export async function readAnything({ body, headers, party }: ReceivedBody): Promise<unknown> {
  if (body.length === 0) return {};
  const hasFormType = isForm(headers);
  try {
    return await parseDeep(body, party);
  } catch (error) {
    if (!hasFormType || !(error instanceof Refusal)) throw error;
  }
  const fields = await readForm(body.toString('utf8'), party);
  const json = jsonInForm(fields);
  return json === undefined ? fields : parseDeep(Buffer.from(json), party);
}

async function parseDeep(json: Buffer, party: Party): Promise<unknown> {
  if (!isUtf8(json)) throw new Refusal('invalid_json');
  const check = new LimitsCheck(json, signedLimits);
  const pause = loopTurns.pace(party);
  while (!check.isDone) {
    check.readOn();
    await pause();
  }
  if (!check.isWithin) throw new Refusal('too_complex');
  return parse(json.toString('utf8'), json, party);
}

async function parse(text: string, json: Buffer, party: Party): Promise<unknown> {
  try {
    if (!isLargeJson(text)) return withExactNumbers(JSON.parse(text) as unknown, json);
    return (await readLargeJson(text, { party, isExact: true })).value;
  } catch (error) {
    throw error instanceof QueueFullError ? error : new Refusal('invalid_json');
  }
}

async function readForm(text: string, party: Party) {
  const pause = loopTurns.pace(party);
  const reading = readFormFields(text);
  for (;;) {
    const { done, value } = reading.next();
    if (done) return value;
    await pause();
  }
}
