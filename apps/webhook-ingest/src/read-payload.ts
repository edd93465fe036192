import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { loopTurns, readLargeJson } from '@relata/http';
import { type Party, QueueFullError } from '@relata/runtime';
import { isLargeJson, withExactNumbers } from '@relata/schemas/errors';
import { isForm, jsonInForm, readFormFields } from '@relata/schemas/form-body';
import { runInSlices } from '@relata/schemas/time-slices';
import { isWithinLimits, LimitsCheck, openedLimits, signedLimits } from '@relata/workflows/intake';
import { Refusal } from './refusal.ts';

interface ReceivedBody {
  body: Buffer;
  headers: IncomingHttpHeaders;
  /** Party whose turns of the event loop are used to read a large body. */
  party: Party;
}

/**
 * Reads the body of a sender with `X-Webhook-Secret`, which must be a JSON object within the structural limits. An
 * empty body counts as `{}`. The limits are checked before the body is parsed.
 */
export async function readObject({ body, headers, party }: ReceivedBody): Promise<object> {
  if (body.length === 0) return {};
  const text = isUtf8(body) ? body.toString('utf8') : '';
  if (!beginsObject.test(text)) throw notJson(headers);
  if (!isWithinLimits(body, openedLimits)) throw new Refusal('too_complex');
  return (await parse(text, body, { headers, party })) as object;
}

const beginsObject = /^[ \t\n\r]*\{/;

/** Reads the body of a sender of a known kind: JSON with at most 200 levels, or a form. An empty body is `{}`. */
export async function readAnything({ body, headers, party }: ReceivedBody): Promise<unknown> {
  if (body.length === 0) return {};
  try {
    return await parseDeep({ body, headers, party });
  } catch (error) {
    if (!isForm(headers) || !(error instanceof Refusal && error.reason === 'invalid_json')) throw error;
  }
  const fields = await runInSlices(readFormFields(body.toString('utf8')), loopTurns.yieldAfterSlice(party));
  const json = jsonInForm(fields);
  return json === undefined ? fields : parseDeep({ body: Buffer.from(json), headers, party });
}

async function parseDeep({ body, headers, party }: ReceivedBody): Promise<unknown> {
  if (!isUtf8(body)) throw notJson(headers);
  const check = new LimitsCheck(body, signedLimits);
  check.readOn();
  // Most bodies are checked in one step.
  if (!check.isDone) await examineRest(check, party);
  if (!check.isWithin) throw new Refusal('too_complex');
  return parse(body.toString('utf8'), body, { headers, party });
}

async function examineRest(check: LimitsCheck, party: Party): Promise<void> {
  const pause = loopTurns.yieldAfterSlice(party);
  while (!check.isDone) {
    check.readOn();
    await pause();
  }
}

async function parse(text: string, json: Buffer, { headers, party }: Omit<ReceivedBody, 'body'>): Promise<unknown> {
  try {
    if (!isLargeJson(text)) return withExactNumbers(JSON.parse(text) as unknown, json);
    return (await readLargeJson(text, { party, isExact: true })).value;
  } catch (error) {
    throw error instanceof QueueFullError ? error : notJson(headers);
  }
}

const typeCharactersMax = 100;

/**
 * Returns the refusal of a body that cannot be parsed. It shows the operator the content type that the sender declared.
 */
function notJson(headers: IncomingHttpHeaders): Refusal {
  const type = headers['content-type']?.slice(0, typeCharactersMax);
  const declared = type === undefined ? 'It has no Content-Type.' : `Its Content-Type is ${type}.`;
  const hint = isForm(headers) ? ' Set the content type to JSON in the sender.' : '';
  const message = `The body is not JSON that this trigger accepts. ${declared}${hint}`;
  return new Refusal('invalid_json', { seen: { reason: 'not_json', message } });
}
