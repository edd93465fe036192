interface NameParts {
  first: string;
  last: string;
}

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Titles before a name, without their full stops. */
const titles = wordsOf('mr mrs ms mx miss dr prof sir herr frau');
/** Words that begin a last name of several words. */
const particles = wordsOf(
  'van von vom zu zur zum der den het ten ter op de del della dello dei degli da das do dos di du des la las le los ' +
    'lo af av bin ibn bint ben al el abu st. saint بن ابن بنت آل أبو',
);
/** Capitalized particles. The first word of a name is never one of them. */
const capitalizedParticles = wordsOf('Van Von De Del Della Di Du El La Le Ben Bin Ibn St. Saint');
/** Words between two parts of a last name. */
const connectives = wordsOf('y e i');
/** Words after a last name, without their full stops. */
const suffixes = wordsOf('jr sr ii iii iv phd md esq');

/** Scripts in which the family name comes first. */
const familyFirst = /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}々ー]/u;

/** Splits a full name into first names and last name, in linear time. A single word is the last name. */
export function splitName(text: string): NameParts {
  const [name = [], ...others] = withoutRemark(text).split(',').map(splitWords);
  const words = withoutTitles(name);
  const behindComma = others.flat();
  const suffix = behindComma.filter(isSuffix);
  if (suffix.length < behindComma.length) {
    const first = behindComma.filter((word) => !isSuffix(word));
    return { first: first.join(' '), last: [...words, ...suffix].join(' ') };
  }
  const all = [...words, ...suffix];
  if (all.length > 1 && all.every((word) => familyFirst.test(word)))
    return { first: all.slice(1).join(' '), last: all[0]! };
  const at = lastNameAt(all);
  return { first: all.slice(0, at).join(' '), last: all.slice(at).join(' ') };
}

const splitWords = (text: string) => text.split(/\s/u).filter(Boolean);

/** Removes a remark in parentheses at the end of a name: `Ada Lovelace (she/her)`. */
function withoutRemark(text: string): string {
  const trimmed = text.trim();
  const at = trimmed.endsWith(')') ? trimmed.lastIndexOf('(') : -1;
  return at > 0 ? trimmed.slice(0, at) : trimmed;
}

function withoutTitles(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => !titles.has(plain(word)));
  return at > 0 ? words.slice(at) : words;
}

/** Returns the index of the word with which the last name begins. */
function lastNameAt(words: readonly string[]): number {
  let at = words.length - 1;
  while (at > 0 && isSuffix(words[at]!)) at--;
  for (;;) {
    const before = words[at - 1] ?? '';
    if (isParticle(before) && (at > 1 || (isLower(before) && !isLower(words[at]!)))) at--;
    else if (at > 2 && connectives.has(before)) at -= 2;
    else return Math.max(0, at);
  }
}

const isParticle = (word: string) => particles.has(word) || capitalizedParticles.has(word);

const isLower = (word: string) => word.toLowerCase() === word;

const isSuffix = (word: string) => suffixes.has(plain(word));

const plain = (word: string) => word.replaceAll('.', '').toLowerCase();
