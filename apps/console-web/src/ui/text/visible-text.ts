/** Scripts in which a joiner or a non-joiner between two letters changes how they are written. */
const joining = String.raw`[\p{scx=Arab}\p{scx=Syrc}\p{scx=Mong}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}]`;

/** What is unseen itself, but is a part of a sign that is seen: of an emoji, of a keycap, of a word in such a script. */
const partsOfSigns = [
  String.raw`(?<=\p{ExtPict}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d(?=\p{ExtPict})`,
  String.raw`(?<=\p{ExtPict})[\ufe0e\ufe0f]`,
  String.raw`(?<=[\d#*])\ufe0f(?=\u20e3)`,
  `(?<=${joining})[\\u200c\\u200d](?=${joining})`,
].join('|');

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
