import { cutToFit } from './cut-to-fit.ts';

/** The longest content: https://discord.com/developers/docs/resources/webhook#execute-webhook */
const contentCharsMax = 2_000;

/** A preview would put a stranger's page into the channel. */
const suppressEmbeds = 1 << 2;

/**
 * A message for a webhook of Discord. Webhooks, unlike people, may hide an address behind other words, so brackets are
 * escaped; `allowed_mentions` makes every mention that is left a silent one.
 */
export function formatDiscord(text: string): object {
  return {
    content: escape(cutToFit(text, (candidate) => escape(candidate).length <= contentCharsMax)),
    allowed_mentions: { parse: [] },
    flags: suppressEmbeds,
  };
}

/** Everything that opens markup, inside a line and at its beginning. */
const markup = /[\\[\]<*_~`|]|^[#>-]/gm;

/** Inside of an address a backslash would become a part of it. What opens a link is no part of what this takes. */
const addresses = /(https?:\/\/[\w\-.~:/?#@!$&+,;=%]+)/;

function escape(text: string): string {
  return text
    .split(addresses)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(markup, '\\$&')))
    .join('');
}
