import type { ChannelFormat } from './channel-format.ts';
import { cutToFit } from '../cut-to-fit.ts';
import { fitForm, type ShownForm } from '../fit-form.ts';

/**
 * Maximum size of a message. Teams documents about 28 KB for a message posted by a workflow, but refuses some of 21 KB
 * or more (found by the authors of the msteams_hermes gem).
 */
const messageBytesMax = 20_000;

/**
 * Format of messages for a Teams Workflows webhook. A `TextBlock` or a `Fact` is Markdown, and clients disagree on how
 * to escape it; a `RichTextBlock` has no markup at all
 * (https://learn.microsoft.com/adaptive-cards/authoring-cards/text-features). Text alone cannot mention anybody,
 * because a mention requires an entity, and we send none.
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

/**
 * Returns the body of a form. Only titles and labels are bold. Strangers cannot write these, so a value cannot be
 * mistaken for another field.
 */
function formBody({ title, fields, note, footer }: ShownForm): object[] {
  return [
    block('None', run(title, { size: 'Large', weight: 'Bolder' })),
    ...fields.map(({ label, value }) => block('Small', bold(`${label}: `), run(value))),
    ...(note ? [block('Medium', bold(note.label)), ...lines(note.text)] : []),
    ...(footer ? [block('Medium', subtle(footer))] : []),
  ];
}

/** Returns a block per line. Some clients show neither a line break within a block nor an empty block. */
const lines = (text: string) => text.split('\n').map((line) => block('None', run(line || '\u00a0')));

const block = (spacing: string, ...inlines: object[]) => ({ type: 'RichTextBlock', spacing, inlines });

const bold = (text: string) => run(text, { weight: 'Bolder' });

const subtle = (text: string) => run(text, { isSubtle: true });

const run = (text: string, style: object = {}) => ({ type: 'TextRun', text: inert(text), ...style });

/** Inserts zero-width spaces, so that a client that reads the text as Markdown or a template finds no link. */
const inert = (text: string) => text.replaceAll('](', ']\u200b(').replaceAll('{{', '{\u200b{');
