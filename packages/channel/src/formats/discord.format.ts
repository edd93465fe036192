import type { ChannelFormat } from './channel-format.ts';
import { cutToFit } from '../cut-to-fit.ts';
import { fitForm, type ShownForm } from '../fit-form.ts';

/** The longest content: https://discord.com/developers/docs/resources/webhook#execute-webhook */
const contentCharsMax = 2_000;

/** Limits of an embed and of all: https://discord.com/developers/docs/resources/message#embed-object-embed-limits */
const descriptionCharsMax = 4_096;
const embedsCharsMax = 6_000;

/** A preview would put a stranger's page into the channel. It hides one's own embeds too. */
const suppressEmbeds = 1 << 2;

/** Makes every mention that is left a silent one. */
const allowed_mentions = { parse: [] };

/**
 * Messages for a webhook of Discord. Webhooks, unlike people, may hide an address behind other words, so brackets are
 * escaped. Addresses inside of an embed are not previewed.
 */
export const discord: ChannelFormat = {
  text: (text, from) => {
    const content = (shown: string) => `-# ${escape(from)}\n${escape(shown)}`;
    const shown = cutToFit(text, (candidate) => content(candidate).length <= contentCharsMax);
    return { content: content(shown), allowed_mentions, flags: suppressEmbeds };
  },
  form: (form) => {
    const shown = fitForm(form, (candidate) => fits(embedsOf(candidate)));
    return { content: `**${escape(shown.title)}**`, embeds: embedsOf(shown), allowed_mentions };
  },
};

interface Embed {
  title?: string;
  description?: string;
  fields?: { name: string; value: string }[];
  footer?: { text: string };
}

/** The note has an embed of its own: a description is shown above the fields of its embed. */
function embedsOf({ fields, note, footer }: ShownForm): Embed[] {
  return [
    { fields: fields.map(({ label, value }) => ({ name: escape(label), value: escape(value) })) },
    ...(note ? [{ title: escape(note.label), description: escape(note.text) }] : []),
    // A footer is shown as it is written.
    ...(footer ? [{ footer: { text: footer } }] : []),
  ];
}

function fits(embeds: Embed[]): boolean {
  const isEachShort = embeds.every(({ description = '' }) => description.length <= descriptionCharsMax);
  return isEachShort && embeds.reduce((chars, embed) => chars + charsOf(embed), 0) <= embedsCharsMax;
}

function charsOf({ title = '', description = '', fields = [], footer }: Embed): number {
  const ofFields = fields.map(({ name, value }) => name + value).join('');
  return [title, description, ofFields, footer?.text ?? ''].join('').length;
}

/** Everything that opens markup, inside a line and at its beginning. Some of it may follow spaces. */
const markup = /[\\[\]<*_~`|]|(?<=^[^\S\n]*)[#>-]/gm;

/** Inside of an address a backslash would become a part of it. What opens a link is no part of what this takes. */
const addresses = /(https?:\/\/[\w\-.~:/?#@!$&+,;=%]+)/;

function escape(text: string): string {
  return text
    .split(addresses)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(markup, '\\$&')))
    .join('');
}
