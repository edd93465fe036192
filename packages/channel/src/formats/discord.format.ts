import type { ChannelFormat } from './channel-format.ts';
import { cutToFit } from '../cut-to-fit.ts';
import { fitForm, type ShownForm } from '../fit-form.ts';

/** Maximum length of the content: https://discord.com/developers/docs/resources/webhook#execute-webhook */
const contentCharsMax = 2_000;

/**
 * Limits of an embed and of all embeds: https://discord.com/developers/docs/resources/message#embed-object-embed-limits
 */
const descriptionCharsMax = 4_096;
const embedsCharsMax = 6_000;

/** Flag that disables previews, which would show a stranger's page in the channel. It also hides our own embeds. */
const suppressEmbeds = 1 << 2;

/** Prevents mentions in the text from notifying anybody. */
const allowed_mentions = { parse: [] };

/**
 * Format of messages for a Discord webhook. Brackets are escaped, since messages of webhooks, unlike those of people,
 * can hide an address behind other words. Addresses inside an embed are not previewed.
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

/**
 * Returns the embeds of a form. The note has its own embed, because a description is shown above the fields of its
 * embed.
 */
function embedsOf({ fields, note, footer }: ShownForm): Embed[] {
  return [
    { fields: fields.map(({ label, value }) => ({ name: escape(label), value: escape(value) })) },
    ...(note ? [{ title: escape(note.label), description: escape(note.text) }] : []),
    // Discord renders no markup in a footer, so it is not escaped.
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

/** Matches characters that begin markup. `#`, `>` and `-` do so only at the beginning of a line, also after spaces. */
const markup = /[\\[\]<*_~`|]|(?<=^[^\S\n]*)[#>-]/gm;

/**
 * Matches addresses. They are not escaped, since a backslash would become part of the address. Characters that begin a
 * Markdown link are not part of the match.
 */
const addresses = /(https?:\/\/[\w\-.~:/?#@!$&+,;=%]+)/;

function escape(text: string): string {
  return text
    .split(addresses)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(markup, '\\$&')))
    .join('');
}
