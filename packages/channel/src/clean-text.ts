// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Scripts in which a joiner or a non-joiner between two letters changes how they are written. */
const joining = String.raw`[\p{scx=Arab}\p{scx=Syrc}\p{scx=Mong}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}]`;

/** What is unseen itself, but is a part of a sign that is seen: of an emoji, of a keycap, of a word in such a script. */
const partsOfSigns = [
  String.raw`(?<=\p{ExtPict}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d(?=\p{ExtPict})`,
  String.raw`(?<=\p{ExtPict})[\ufe0e\ufe0f]`,
  String.raw`(?<=[\d#*])\ufe0f(?=\u20e3)`,
  `(?<=${joining})[\\u200c\\u200d](?=${joining})`,
].join('|');

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
