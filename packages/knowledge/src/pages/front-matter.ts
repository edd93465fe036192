import { parseDocument } from 'yaml';

/** Maximum length of the lines between the two `---`, in characters. */
const lengthMax = 4_096;

const textMax = 500;

export interface FrontMatter {
  title?: string;
  url?: string;
}

/**
 * Splits a page into its front matter, which is YAML between `---` lines at the beginning, and the body. Throws `Error`
 * with the problem.
 */
export function readFrontMatter(text: string): { matter: FrontMatter; body: string } {
  const opening = /^---[ \t]*\r?\n/.exec(text)?.[0];
  if (opening === undefined) return { matter: {}, body: text };
  const closing = /^(?:---|\.\.\.)[ \t]*$/m.exec(text.slice(opening.length, opening.length + lengthMax + 4));
  if (!closing) throw new Error(`has front matter that does not end within ${lengthMax} characters.`);
  const end = opening.length + closing.index;
  return { matter: parse(text.slice(opening.length, end)), body: text.slice(end + closing[0].length) };
}

/** Parses YAML. It refuses aliases, since a few of them can expand to a huge value. */
function parse(yaml: string): FrontMatter {
  const document = parseDocument(yaml, { stringKeys: true, logLevel: 'silent' });
  const fault = document.errors[0];
  if (fault) throw new Error(`has front matter that is not YAML (${fault.code}).`);
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 0 });
  } catch {
    throw new Error('has front matter with aliases.');
  }
  if (value === null || value === undefined) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw new Error('has front matter that is not a mapping.');
  return { ...textOf(value, 'title'), ...textOf(value, 'url') };
}

function textOf(value: object, key: 'title' | 'url'): FrontMatter {
  const text: unknown = Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
  if (text === undefined || text === null) return {};
  if (typeof text !== 'string' || text.trim() === '' || text.length > textMax) {
    throw new Error(`has a ${key} that is not a text of 1 to ${textMax} characters.`);
  }
  return { [key]: text.trim() };
}
