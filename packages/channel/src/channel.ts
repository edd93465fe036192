import type { ChannelFormat } from './formats/channel-format.ts';
import { ChannelError } from './channel.error.ts';
import type { ChannelKind } from './channel.settings.ts';
import { cleanText, hasInk, onOneLine } from './clean-text.ts';
import { cutToFit } from './cut-to-fit.ts';
import { discord } from './formats/discord.format.ts';
import { googleChat } from './formats/google-chat.format.ts';
import { type Form, readForm } from './read-form.ts';
import { slack } from './formats/slack.format.ts';
import { teams } from './formats/teams.format.ts';
import { postJson, type Resolve } from './webhook-post.ts';

export interface ChannelOptions {
  url: string;
  kind: ChannelKind;
  /** Timeout for the whole request in ms, unless a post has its own timeout; 5 s by default. */
  timeoutMs?: number;
  /** Checks the URL and returns the only addresses to connect to. Omitted for a URL that an operator has configured. */
  resolve?: Resolve;
}

interface ChannelMessage {
  /** Text; it is cut to 10,000 characters. */
  text: string;
  organization: string;
}

interface PostTerms {
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
}

/**
 * Posts messages, cut to the limits of the channel. Visitors' text is shown as plain text: it notifies nobody and
 * cannot hide a link behind other words. Failures are `ChannelError`s.
 */
export interface Channel {
  /** Posts a text together with the name of its organization, since one channel serves all organizations. */
  post(message: ChannelMessage, terms?: PostTerms): Promise<void>;
  /** Posts a completed form. No value can be mistaken for another field. */
  postForm(form: Form, signal?: AbortSignal): Promise<void>;
}

const formats: Record<ChannelKind, ChannelFormat> = { slack, teams, discord, 'google-chat': googleChat };

/** Creates a team chat channel for the webhook that its vendor issued. */
export function createChannel({ url, kind, timeoutMs = 5_000, resolve }: ChannelOptions): Channel {
  const target = new URL(url);
  const format = formats[kind];
  const send = (message: object, terms: PostTerms) =>
    postJson(target, { timeoutMs, resolve, ...terms, body: JSON.stringify(message) });
  return {
    post: async ({ text, organization }, terms = {}) =>
      send(format.text(readable(text), fromLine(organization)), terms),
    postForm: async (form, signal) => send(format.form(readForm(form)), { signal }),
  };
}

const nameCharsMax = 100;

/** Returns the line that names the organization, even if the name contains line breaks or no visible characters. */
function fromLine(organization: string): string {
  const name = onOneLine(organization);
  const shown = hasInk(name) ? cutToFit(name, ({ length }) => length <= nameCharsMax) : 'without a name';
  return `Organization: ${shown}`;
}

const textCharsMax = 10_000;

function readable(text: string): string {
  const cleaned = cleanText(text);
  if (cleaned === '') throw new ChannelError('invalid_text', 'The text is empty.', { isRetryable: false });
  // Cuts a very long text first, for which `cutToFit` would be slow. One character over the limit makes it add the
  // ellipsis.
  return cutToFit(cleaned.slice(0, textCharsMax + 1), ({ length }) => length <= textCharsMax);
}
