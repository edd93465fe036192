import { partsOfSigns } from '@relata/schemas/parts-of-signs';

// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * Matches zero-width characters. They can make equal-looking words differ, hide a message in a word, or change the
 * order in which text is shown, so that an address looks like a different address. They include Unicode tag characters,
 * although the flags of England, Scotland and Wales consist of these.
 */
const unseen = new RegExp(String.raw`(?=[\p{DI}\ufff9-\ufffb])(?!${partsOfSigns}).`, 'gu');

/**
 * Returns text that every channel accepts: well-formed, with `\n` between lines, and without control characters or
 * zero-width characters, except those that join parts of a sign.
 */
export function cleanText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(controls, '')
    .replace(unseen, '')
    .trim();
}

/**
 * Returns clean text on one line. Each run of white space becomes one space, since a long run could look like a line
 * break.
 */
export function onOneLine(text: string): string {
  return cleanText(text).replace(/\s+/g, ' ');
}

/** Returns true if the text has a visible character. Blank letters, such as the Hangul fillers, do not count. */
export function hasInk(text: string): boolean {
  return /[^\s\p{Cc}\p{Cf}\u115f\u1160\u2800\u3164\uffa0]/u.test(text);
}
