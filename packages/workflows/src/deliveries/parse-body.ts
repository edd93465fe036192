import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import { isLargeJson, JsonFaultError, readInSlices, withExactNumbers } from '@relata/schemas/errors';
import { isForm, jsonInForm, readFormFields } from '@relata/schemas/form-body';
import { runToEnd, runInSlices, type SlicedWork } from '@relata/schemas/time-slices';

interface StoredBody {
  body: Buffer;
  headers: Readonly<Record<string, string>>;
}

/** Parses a stored body, which is JSON or a form. An empty body is parsed as an empty object. Throws SyntaxError. */
export const parseBody = (stored: StoredBody): unknown => runToEnd(bodyInSlices(stored, wholeJson));

/** Function that yields to the event loop, so that other work can run. */
export type YieldToLoop = () => Promise<unknown>;

/**
 * Parses a stored body like `parseBody`, but yields to the event loop every 2 ms while it reads a large body. Throws
 * SyntaxError or JsonFaultError.
 */
export function parseBodyInSlices(
  stored: StoredBody,
  yieldToLoop: YieldToLoop = () => setImmediate(),
): Promise<unknown> {
  return runInSlices(bodyInSlices(stored, jsonInSlices), yieldToLoop);
}

/** Parses JSON. Yields to the event loop every 2 ms if the JSON is large. Throws JsonFaultError. */
export async function parseJsonInSlices(json: string, yieldToLoop: YieldToLoop): Promise<unknown> {
  return (await runInSlices(readInSlices(json, {}), yieldToLoop)).value;
}

type ReadJson = (json: Buffer) => SlicedWork<unknown>;

function* bodyInSlices({ body, headers }: StoredBody, readJson: ReadJson): SlicedWork<unknown> {
  if (body.length === 0) return {};
  try {
    if (isForm(headers) && !isUtf8(body)) throw new SyntaxError('A form that is not UTF-8 is not JSON.');
    return yield* readJson(body);
  } catch (error) {
    if (!isForm(headers)) throw error;
    const fields = yield* readFormFields(body.toString('utf8'));
    const json = jsonInForm(fields);
    return json === undefined ? fields : yield* readJson(Buffer.from(json));
  }
}

// oxlint-disable-next-line require-yield -- it is the variant of `jsonInSlices` without pauses
function* wholeJson(json: Buffer): SlicedWork<unknown> {
  return withExactNumbers(JSON.parse(json.toString('utf8')) as unknown, json);
}

function* jsonInSlices(json: Buffer): SlicedWork<unknown> {
  if (!isLargeJson(json)) return yield* wholeJson(json);
  return (yield* readInSlices(json.toString('utf8'), { isExact: true })).value;
}

/** Parses a stored body. Returns undefined if it is neither JSON nor a form; the receiver rejects such bodies. */
export function readPayload(stored: StoredBody): unknown {
  try {
    return parseBody(stored);
  } catch {
    return undefined;
  }
}

/** Parses a stored body like `readPayload`, and yields like `parseBodyInSlices`. */
export async function readPayloadInSlices(stored: StoredBody, yieldToLoop?: YieldToLoop): Promise<unknown> {
  try {
    return await parseBodyInSlices(stored, yieldToLoop);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof JsonFaultError) return undefined;
    throw error;
  }
}
