import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import { isLargeJson, JsonFaultError, readInSteps, withExactNumbers } from '@relata/schemas/errors';
import { isForm, jsonInForm, readFormFields } from '@relata/schemas/form-body';
import { finish, finishInTurns, type Steps } from '@relata/schemas/steps';

interface StoredBody {
  body: Buffer;
  headers: Readonly<Record<string, string>>;
}

/** Parses a stored body, which is JSON or a form. An empty body is parsed as an empty object. Throws SyntaxError. */
export const parseBody = (stored: StoredBody): unknown => finish(bodySteps(stored, wholeJson));

/** Function that yields to the event loop, so that other work can run. */
export type YieldToLoop = () => Promise<unknown>;

/**
 * Parses a stored body like `parseBody`, but yields to the event loop every 2 ms while it reads a large body. Throws
 * SyntaxError or JsonFaultError.
 */
export function parseBodyInSteps(
  stored: StoredBody,
  yieldToLoop: YieldToLoop = () => setImmediate(),
): Promise<unknown> {
  return finishInTurns(bodySteps(stored, jsonSteps), yieldToLoop);
}

/** Parses JSON. Yields to the event loop every 2 ms if the JSON is large. Throws JsonFaultError. */
export async function parseJsonInSteps(json: string, yieldToLoop: YieldToLoop): Promise<unknown> {
  return (await finishInTurns(readInSteps(json, {}), yieldToLoop)).value;
}

type ReadJson = (json: Buffer) => Steps<unknown>;

function* bodySteps({ body, headers }: StoredBody, readJson: ReadJson): Steps<unknown> {
  if (body.length === 0) return {};
  try {
    if (isForm(headers) && !isUtf8(body)) throw new SyntaxError('A form that is not UTF-8 is no JSON.');
    return yield* readJson(body);
  } catch (error) {
    if (!isForm(headers)) throw error;
    const fields = yield* readFormFields(body.toString('utf8'));
    const json = jsonInForm(fields);
    return json === undefined ? fields : yield* readJson(Buffer.from(json));
  }
}

// oxlint-disable-next-line require-yield -- it is the variant of `jsonSteps` without pauses
function* wholeJson(json: Buffer): Steps<unknown> {
  return withExactNumbers(JSON.parse(json.toString('utf8')) as unknown, json);
}

function* jsonSteps(json: Buffer): Steps<unknown> {
  if (!isLargeJson(json)) return yield* wholeJson(json);
  return (yield* readInSteps(json.toString('utf8'), { isExact: true })).value;
}

/** Parses a stored body. Returns undefined if it is neither JSON nor a form; the receiver rejects such bodies. */
export function readPayload(stored: StoredBody): unknown {
  try {
    return parseBody(stored);
  } catch {
    return undefined;
  }
}

/** Parses a stored body like `readPayload`, and yields like `parseBodyInSteps`. */
export async function readPayloadInSteps(stored: StoredBody, yieldToLoop?: YieldToLoop): Promise<unknown> {
  try {
    return await parseBodyInSteps(stored, yieldToLoop);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof JsonFaultError) return undefined;
    throw error;
  }
}
