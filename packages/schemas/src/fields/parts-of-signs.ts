/** Scripts in which a joiner or non-joiner between two letters changes their shape. */
const joining = String.raw`[\p{scx=Arab}\p{scx=Syrc}\p{scx=Mong}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}]`;

/**
 * Pattern of invisible characters that belong to a visible sign: to an emoji, a keycap, or a word in a joining script.
 * Source of a regular expression with the flag `u`.
 */
export const partsOfSigns = [
  String.raw`(?<=\p{ExtPict}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d(?=\p{ExtPict})`,
  String.raw`(?<=\p{ExtPict})[\ufe0e\ufe0f]`,
  String.raw`(?<=[\d#*])\ufe0f(?=\u20e3)`,
  `(?<=${joining})[\\u200c\\u200d](?=${joining})`,
].join('|');
