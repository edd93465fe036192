import { partsOfSigns } from '@relata/schemas/parts-of-signs';

/** Controls but for tabs and line ends, halves of surrogate pairs, and what takes no room or turns the text around it. */
const unseen = new RegExp(
  String.raw`(?=[\p{DI}\p{Cc}\p{Cs}\p{Zl}\p{Zp}\ufff9-\ufffb\u2800])(?![\t\n\r]|${partsOfSigns}).`,
  'gsu',
);

/** Most text is plain, and is looked at whenever it is drawn. */
const plain = /^[\t\n\r -~]*$/;

/**
 * A text in which everything can be seen: what would be unseen stands as `\u{200b}`, as in the tables of the tool. Names
 * that look alike differ then, and none hides a message or turns what stands beside it.
 */
export function visibleText(text: string): string {
  return plain.test(text)
    ? text
    : text.replace(unseen, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}
