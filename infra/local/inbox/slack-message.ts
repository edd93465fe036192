type Json = Record<string, unknown>;

/**
 * Returns the visible lines of a message for an incoming webhook of Slack: the texts of its blocks, otherwise its
 * `text`. Returns undefined for a message without either, which Slack refuses too.
 */
export function readSlackMessage(body: unknown): string[] | undefined {
  if (!isObject(body)) return undefined;
  const texts = list(body['blocks']).flatMap(textsOf);
  const shown = texts.length > 0 ? texts : textOf(body['text']);
  const lines = shown.flatMap((text) => unescape(text).split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/));
  return lines.some((line) => line.trim() !== '') ? lines : undefined;
}

/** Returns the texts of a header, a section with its fields, or a context. */
function textsOf(block: unknown): string[] {
  if (!isObject(block)) return [];
  return [...textOf(block['text']), ...inColumns(list(block['fields'])), ...list(block['elements']).flatMap(textOf)];
}

const firstColumn = 14;

/** Joins fields in pairs, because Slack shows them in two columns. */
function inColumns(fields: readonly unknown[]): string[] {
  const texts = fields.flatMap(textOf);
  return texts.flatMap((text, at) => {
    if (at % 2 === 1) return [];
    const right = texts[at + 1];
    return right === undefined ? [text] : [`${text.padEnd(firstColumn)} ${right}`];
  });
}

/** Returns the lines of a text. Interprets no markup except a bold label. */
function textOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (!isObject(value) || typeof value['text'] !== 'string') return [];
  return [value['type'] === 'mrkdwn' ? value['text'].replace(/^\*(.*)\*$/s, '$1') : value['text']];
}

/** Replaces Slack's three escapes. The ampersand comes last, because `&amp;lt;` stands for `&lt;`. */
function unescape(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
