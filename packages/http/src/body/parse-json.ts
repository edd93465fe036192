import { type Party, QueueFullError, Slots } from '@relata/runtime';
import {
  AppError,
  findJsonFault,
  isLargeJson,
  JsonFaultError,
  type JsonReaderOptions,
  lineAndColumn,
  readInSlices,
} from '@relata/schemas/errors';
import { runInSlices } from '@relata/schemas/time-slices';
import { loopTurns } from '../limits/loop-turns.ts';

/** Slots for parsing large JSON, since its values take much memory. An organization holds at most one. */
const slots = new Slots(2);
const longestWait = { ms: 10_000, error: () => new QueueFullError('Too many large bodies at once.') };

export interface ParseOptions extends JsonReaderOptions {
  /** Party whose turns are used to read a large text. */
  party: Party;
}

export interface ParsedJson {
  value: unknown;
  /** Number of members of the outermost container that were not kept. */
  unkeptMembers: number;
  /** Identifies the content: the value, or the text itself if any part was not kept. */
  identity: unknown;
}

/**
 * Parses a large JSON text in steps, between which other requests have their turns. Throws JsonFaultError;
 * QueueFullError if too many such texts wait.
 */
export async function readLargeJson(text: string, { party, ...options }: ParseOptions): Promise<ParsedJson> {
  using _slot = await slots.hold(party, { longestWait });
  const reading = readInSlices(text, options);
  const { value, unkeptMembers, isWhole } = await runInSlices(reading, () => loopTurns.yieldToLoop(party));
  return { value, unkeptMembers, identity: isWhole ? value : text };
}

/** Parses a body. Throws AppError `invalid_json` with the position of the fault; the message never quotes the body. */
export async function parseJson(text: string, options: ParseOptions): Promise<ParsedJson> {
  try {
    return isLargeJson(text) ? await readLargeJson(text, options) : wholeJson(parseSmall(text));
  } catch (error) {
    if (!(error instanceof JsonFaultError)) throw error;
    const data = lineAndColumn(text, error.position);
    const place = `line ${data.line}, column ${data.column}`;
    throw new AppError('invalid_json', `The body is not valid JSON: ${error.message} (${place}).`, { data });
  }
}

const wholeJson = (value: unknown): ParsedJson => ({ value, unkeptMembers: 0, identity: value });

function parseSmall(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw findJsonFault(text);
  }
}
