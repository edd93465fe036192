import type { ChannelFormat } from './channel-format.ts';
import { cutToFit } from '../cut-to-fit.ts';
import { fitForm, type ShownForm, summarizeForm } from '../fit-form.ts';

/** Maximum length of a block's text: https://docs.slack.dev/reference/block-kit/composition-objects/text-object */
const blockCharsMax = 3_000;

/** Slack's recommended limit for `text`, which notifications and screen readers show instead of the blocks. */
const summaryCharsMax = 4_000;

/** Number of form fields per section. A section can have 10 texts in two columns: label and value. */
const fieldsOfSection = 5;

/**
 * Format of messages for a Slack incoming webhook. Mentions and links are disabled by escaping only `&`, `<` and `>`
 * (https://docs.slack.dev/messaging/formatting-message-text); `plain_text` has no markup.
 */
export const slack: ChannelFormat = {
  text: (text, from) => message(`${from}\n${text}`, [context(from), ...sections(text)]),
  form: (form) => {
    // `readForm` has already cut the parts to Slack's limits.
    const shown = fitForm(form, () => true);
    return message(summarizeForm(shown), formBlocks(shown));
  },
};

function message(summary: string, blocks: object[]): object {
  return {
    text: escape(cutToFit(summary, (candidate) => escape(candidate).length <= summaryCharsMax)),
    mrkdwn: false,
    // A preview would show a stranger's page in the channel.
    unfurl_links: false,
    unfurl_media: false,
    blocks,
  };
}

function formBlocks({ title, fields, note, footer }: ShownForm): object[] {
  return [
    { type: 'header', text: plain(escape(title)) },
    ...inRows(fields, fieldsOfSection).map((some) => ({
      type: 'section',
      fields: some.flatMap(({ label, value }) => [bold(label), plain(escape(value))]),
    })),
    ...(note ? [{ type: 'section', text: bold(note.label) }, ...sections(note.text)] : []),
    ...(footer ? [context(footer)] : []),
  ];
}

function inRows<Item>(all: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));
}

const plain = (escaped: string) => ({ type: 'plain_text', text: escaped, emoji: false });

/** Returns a block of small grey text. Text in a section cannot look like it. */
const context = (text: string) => ({ type: 'context', elements: [plain(escape(text))] });

/** Returns a bold label. Only labels, which strangers cannot write, have markup, so readers can trust bold text. */
const bold = (label: string) => ({ type: 'mrkdwn', text: `*${escape(label)}*`, verbatim: true });

const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const sections = (text: string) => chunks(text).map((chunk) => ({ type: 'section', text: plain(chunk) }));

/**
 * Splits a text into escaped pieces of a block's size. Even 10,000 ampersands need only 17 of a message's 50 blocks.
 */
function chunks(text: string): string[] {
  const pieces: string[] = [];
  let piece = '';
  for (const point of text) {
    const escaped = escape(point);
    if (piece.length + escaped.length > blockCharsMax) {
      pieces.push(piece);
      piece = '';
    }
    piece += escaped;
  }
  return [...pieces, piece];
}
