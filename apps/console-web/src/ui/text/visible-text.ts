import { partsOfSigns } from '@relata/schemas/parts-of-signs';

/**
 * Matches control characters except tabs and line ends, unpaired surrogates, and characters that have no width or
 * change the direction of text.
 */
const unseen = new RegExp(
  String.raw`(?=[\p{DI}\p{Cc}\p{Cs}\p{Zl}\p{Zp}\ufff9-\ufffb\u2800])(?![\t\n\r]|${partsOfSigns}).`,
  'gsu',
);

/** Matches visible ASCII text. This check is quick: most texts are ASCII, and each text is checked at every render. */
const plain = /^[\t\n\r -~]*$/;

/**
 * Returns a text with invisible characters as `\u{200b}`, like the tables of the CLI. Names that differ only in such
 * characters then look different, and no name hides a message or reverses the text beside it.
 */
export function visibleText(text: string): string {
  return plain.test(text)
    ? text
    : text.replace(unseen, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}
