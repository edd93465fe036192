import type { ChannelFormat } from './channel-format.ts';
import { cutToFit } from '../cut-to-fit.ts';
import { fitForm, type ShownForm, summarizeForm } from '../fit-form.ts';

/**
 * Maximum size of a message: https://developers.google.com/workspace/chat/api/reference/rest/v1/spaces.messages/create
 */
const messageBytesMax = 32_000;

/** Maximum length of the text that notifications show instead of a card. */
const summaryCharsMax = 1_000;

/**
 * Format of messages for a Google Chat webhook. In a text, `<users/all>` notifies everyone and `<url|text>` hides an
 * address. A card accepts some HTML (https://developers.google.com/workspace/chat/format-messages). There is no
 * documented way to escape the brackets, so they are replaced by similar characters.
 */
export const googleChat: ChannelFormat = {
  text: (text, from) => {
    const message = (shown: string) => ({ text: shown, cardsV2: [{ cardId: 'from', card: fromCard(from) }] });
    return message(cutToFit(inert(text), (candidate) => fits(message(candidate))));
  },
  form: (form) => formMessage(fitForm(form, (shown) => fits(formMessage(shown)))),
};

function fits(message: object): boolean {
  return Buffer.byteLength(JSON.stringify(message)) <= messageBytesMax;
}

/** Returns a form as a card. In a text, a stranger's `*Label:*` would look like our own label. */
function formMessage(shown: ShownForm): object {
  const { title, fields, note, footer } = shown;
  const widgets = [
    ...fields.map(({ label, value }) => widget(label, value)),
    ...(note ? [widget(note.label, note.text)] : []),
    ...(footer ? [{ textParagraph: { text: html(footer) } }] : []),
  ];
  const card = { header: { title: inert(title) }, sections: [{ widgets }] };
  const summary = cutToFit(inert(summarizeForm(shown)), ({ length }) => length <= summaryCharsMax);
  return { cardsV2: [{ cardId: 'form', card }], fallbackText: summary };
}

/** Returns the card that names the organization. Text cannot imitate it, since text cannot create a card. */
const fromCard = (from: string) => ({ sections: [{ widgets: [{ textParagraph: { text: html(from) } }] }] });

const widget = (label: string, text: string) => ({
  decoratedText: { topLabel: inert(label), text: html(text), wrapText: true },
});

const inert = (text: string) => text.replaceAll('<', '‹').replaceAll('>', '›');

/**
 * Converts text to HTML in which tags of the text have no effect. A zero-width space prevents a literal `&lt;` from
 * being read as a bracket.
 */
const html = (text: string) =>
  inert(text)
    .replace(/&(?=[#\w])/g, '&\u200b')
    .replaceAll('\n', '<br>');
