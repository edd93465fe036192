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
  /** Timeout for the whole exchange. */
  timeoutMs?: number;
  /** Checks the URL and returns the only addresses to connect to; omitted for a URL that an operator has set. */
  resolve?: Resolve;
}

interface ChannelMessage {
  /** Text of at most 10,000 characters. */
  text: string;
  organization: string;
}

/**
 * Posts messages, cut to the limits of the channel. Text of visitors is shown as plain text: it notifies nobody and
 * hides no link behind other words. Failures are `ChannelError`s.
 */
export interface Channel {
  /** Posts a text together with the name of its organization: one channel serves all organizations. */
  post(message: ChannelMessage, signal?: AbortSignal): Promise<void>;
  /** Posts a completed form; no value can look like another field. */
  postForm(form: Form, signal?: AbortSignal): Promise<void>;
}

/** Maximum length of a text, in characters. */
export const channelTextMax = 10_000;

const formats: Record<ChannelKind, ChannelFormat> = { slack, teams, discord, 'google-chat': googleChat };

/** Creates a team chat channel for the webhook that its vendor issued. */
export function createChannel({ url, kind, timeoutMs = 5_000, resolve }: ChannelOptions): Channel {
  const target = new URL(url);
  const format = formats[kind];
  const send = (message: object, signal: AbortSignal | undefined) =>
    postJson(target, { body: JSON.stringify(message), timeoutMs, signal, resolve });
  return {
    post: async ({ text, organization }, signal) => send(format.text(readable(text), fromLine(organization)), signal),
    postForm: async (form, signal) => send(format.form(readForm(form)), signal),
  };
}

const nameCharsMax = 100;

/** Returns the line that names the organization. Names are data: some contain line breaks, some nothing visible. */
function fromLine(organization: string): string {
  const name = onOneLine(organization);
  const shown = hasInk(name) ? cutToFit(name, ({ length }) => length <= nameCharsMax) : 'without a name';
  return `Organization: ${shown}`;
}

function readable(text: string): string {
  if (text.length > channelTextMax) throw invalidText(`The text is longer than ${channelTextMax} characters.`);
  const cleaned = cleanText(text);
  if (cleaned === '') throw invalidText('The text is empty.');
  return cleaned;
}

const invalidText = (message: string) => new ChannelError('invalid_text', message, { isRetryable: false });
