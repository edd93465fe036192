import { cutToFit } from './cut-to-fit.ts';

/** The longest text of a block: https://docs.slack.dev/reference/block-kit/composition-objects/text-object */
const blockCharsMax = 3_000;

/** What Slack recommends for `text`, which notifications and screen readers show in place of the blocks. */
const summaryCharsMax = 4_000;

/**
 * A message for an incoming webhook of Slack. Escaping these three characters, and no others, takes the life out of
 * mentions and links (https://docs.slack.dev/messaging/formatting-message-text); `plain_text` knows no markup either.
 */
export function formatSlack(text: string): object {
  return {
    text: escape(cutToFit(text, (candidate) => escape(candidate).length <= summaryCharsMax)),
    mrkdwn: false,
    // A preview would put a stranger's page into the channel.
    unfurl_links: false,
    unfurl_media: false,
    blocks: chunks(text).map((chunk) => ({ type: 'section', text: { type: 'plain_text', text: chunk, emoji: false } })),
  };
}

const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Escaped pieces of a block's size. Even 10,000 ampersands make only 17 of the 50 blocks that a message may have. */
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
