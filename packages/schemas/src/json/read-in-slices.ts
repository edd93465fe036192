import type { SlicedWork } from '../time-slices.ts';
import { JsonReader, type JsonReaderOptions } from './json-reader.ts';

/** Size up to which JSON.parse takes at most three milliseconds. */
const wholeCharactersMax = 16_384;
/** Duration of one step in reading a larger text. */
const stepMs = 2;

/** Returns true if a text, or its bytes, would block the event loop for too long in JSON.parse. */
export const isLargeJson = (text: { length: number }) => text.length > wholeCharactersMax;

/** Reads large JSON, and pauses before each step so that other work gets its turn. Throws JsonFaultError. */
export function* readInSlices(text: string, options: JsonReaderOptions): SlicedWork<JsonReader> {
  const reader = new JsonReader(text, options);
  do yield;
  while (!reader.readOn(stepMs));
  return reader;
}
