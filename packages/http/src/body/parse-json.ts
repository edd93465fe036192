import { type Party, QueueFullError, Slots } from '@relata/runtime';
import {
  AppError,
  findJsonFault,
  JsonFaultError,
  JsonReader,
  type JsonReaderOptions,
  lineAndColumn,
} from '@relata/schemas/errors';
import { loopTurns } from '../limits/loop-turns.ts';

/** JSON.parse takes three milliseconds at most for so much. */
const wholeCharactersMax = 16_384;
/** The time that one step over a larger text takes. */
const stepMs = 2;

/** Large texts that are read at the same time: what each is read to fills the memory. An organization has one of them. */
const places = new Slots(2);
const longestWait = { ms: 10_000, error: () => new QueueFullError('Too many large bodies at once.') };

export interface ParseOptions extends JsonReaderOptions {
  /** Whose turns the reading of a large text takes. */
  party: Party;
}

export interface ParsedJson {
  value: unknown;
  /** Members of the outermost container that were not kept. */
  unkeptMembers: number;
  /** Differs for texts of different content: the value, or the text itself if anything of it was not kept. */
  identity: unknown;
}

/** True for a text that JSON.parse would hold up all other work for. */
export const isLargeJson = (text: string) => text.length > wholeCharactersMax;

/**
 * Reads a large text of JSON in steps, between which others have their turns. Throws JsonFaultError; QueueFullError where
 * too many such texts wait.
 */
export async function readLargeJson(text: string, { party, ...options }: ParseOptions): Promise<ParsedJson> {
  await places.acquire(party, undefined, longestWait);
  try {
    const reader = new JsonReader(text, options);
    do await loopTurns.giveWay(party);
    while (!reader.readOn(stepMs));
    const { value, unkeptMembers, isWhole } = reader;
    return { value, unkeptMembers, identity: isWhole ? value : text };
  } finally {
    places.release(party);
  }
}

/** Parses a body. Throws AppError `invalid_json`, which says where the fault is and never quotes the body. */
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
