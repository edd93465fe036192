import { cleanJson } from '@relata/workflows';

/** How JSON writes what PostgreSQL cannot hold: U+0000 and halves of surrogate pairs. */
const suspicious = /\\u(?:0000|d[89a-f])/;

/** A value as JSON that the database can hold. Made once for each value: it may be long. */
export function toJsonText(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  return suspicious.test(text) ? JSON.stringify(cleanJson(value)) : text;
}

/** What an object or a list takes beside its members, and a member beside its value, in bytes. */
const containerBytes = 56;
const memberBytes = 8;

const [brace, bracket, comma, colon] = Array.from('{[,:', (character) => character.charCodeAt(0));

/**
 * About how many bytes a value takes in memory, by its JSON: many small objects take twenty times their characters. What
 * stands in texts counts too.
 */
export function heapBytesOf(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === brace || code === bracket) bytes += containerBytes;
    else if (code === comma || code === colon) bytes += memberBytes;
  }
  return bytes;
}
