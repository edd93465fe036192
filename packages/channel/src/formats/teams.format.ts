import type { ChannelFormat } from './channel-format.ts';
import { cutToFit } from '../cut-to-fit.ts';
import { fitForm, type ShownForm } from '../fit-form.ts';

/**
 * Teams documents about 28 KB for a message that a workflow posts, and refuses some from 21 KB on (found by the authors
 * of the msteams_hermes gem).
 */
const messageBytesMax = 20_000;

/**
 * Messages for a Workflows webhook of Teams. A `TextBlock` or a `Fact` is Markdown, and the clients do not agree on how
 * that is escaped; a `RichTextBlock` takes no markup at all (https://learn.microsoft.com/adaptive-cards/authoring-cards/text-features).
 * A mention needs an entity beside the text, which there is none of.
 */
export const teams: ChannelFormat = {
  text: (text, from) => {
    const body = (shown: string) => [block('None', subtle(from)), ...lines(shown)];
    return card(body(cutToFit(text, (candidate) => fits(body(candidate)))));
  },
  form: (form) => card(formBody(fitForm(form, (shown) => fits(formBody(shown))))),
};

function fits(body: object[]): boolean {
  return Buffer.byteLength(JSON.stringify(card(body))) <= messageBytesMax;
}

function card(body: object[]): object {
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.2',
    body,
  };
  return { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content }] };
}

/** Only titles and labels are bold, and no stranger writes them: a value cannot look like another field. */
function formBody({ title, fields, note, footer }: ShownForm): object[] {
  return [
    block('None', run(title, { size: 'Large', weight: 'Bolder' })),
    ...fields.map(({ label, value }) => block('Small', bold(`${label}: `), run(value))),
    ...(note ? [block('Medium', bold(note.label)), ...lines(note.text)] : []),
    ...(footer ? [block('Medium', subtle(footer))] : []),
  ];
}

/** Not every client shows a line break inside of a block, or a block without text. */
const lines = (text: string) => text.split('\n').map((line) => block('None', run(line || '\u00a0')));

const block = (spacing: string, ...inlines: object[]) => ({ type: 'RichTextBlock', spacing, inlines });

const bold = (text: string) => run(text, { weight: 'Bolder' });

const subtle = (text: string) => run(text, { isSubtle: true });

const run = (text: string, style: object = {}) => ({ type: 'TextRun', text: inert(text), ...style });

/** Should a client take it for Markdown or for a template after all, a space without width keeps it from a link. */
const inert = (text: string) => text.replaceAll('](', ']\u200b(').replaceAll('{{', '{\u200b{');
