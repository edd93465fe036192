import { partsOfSigns } from '@relata/schemas/parts-of-signs';

// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * What takes no room, but makes words differ that look the same, hides a message in one, or changes the order in which a
 * text is shown, so that an address reads as another one. The tags among them also make three flags.
 */
const unseen = new RegExp(String.raw`(?=[\p{DI}\ufff9-\ufffb])(?!${partsOfSigns}).`, 'gu');

/** Text that every channel takes: well-formed, its lines ended by `\n`, without what cannot be seen but acts. */
export function cleanText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(controls, '')
    .replace(unseen, '')
    .trim();
}

/** Clean text without line breaks, and without rows of spaces that would end in one. */
export function onOneLine(text: string): string {
  return cleanText(text).replace(/\s+/g, ' ');
}

/** Returns true if there is anything to see: letters that are blank by design, such as the Hangul fillers, are not. */
export function hasInk(text: string): boolean {
  return /[^\s\p{Cc}\p{Cf}\u115f\u1160\u2800\u3164\uffa0]/u.test(text);
}
