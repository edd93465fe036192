import { cutToFit } from './cut-to-fit.ts';

/**
 * Teams documents about 28 KB for a message that a workflow posts, and refuses some from 21 KB on (found by the authors
 * of the msteams_hermes gem).
 */
const messageBytesMax = 20_000;

/**
 * A message for a Workflows webhook of Teams. A `TextBlock` is Markdown, and its clients do not agree on how that is
 * escaped; a `RichTextBlock` takes no markup at all (https://learn.microsoft.com/adaptive-cards/authoring-cards/text-features).
 * A mention needs an entity beside the text, which there is none of.
 */
export function formatTeams(text: string): object {
  return message(
    cutToFit(text, (candidate) => Buffer.byteLength(JSON.stringify(message(candidate))) <= messageBytesMax),
  );
}

function message(text: string): object {
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.2',
    body: text.split('\n').map(line),
  };
  return { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content }] };
}

/** Not every client shows a line break inside of a block, or a block without text. */
function line(text: string): object {
  return { type: 'RichTextBlock', spacing: 'None', inlines: [{ type: 'TextRun', text: inert(text) || '\u00a0' }] };
}

/** Should a client take it for Markdown or for a template after all, a space without width keeps it from a link. */
const inert = (text: string) => text.replaceAll('](', ']\u200b(').replaceAll('{{', '{\u200b{');
