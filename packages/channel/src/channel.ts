import { ChannelError } from './channel.error.ts';
import type { ChannelKind } from './channel.settings.ts';
import { cleanText } from './clean-text.ts';
import { formatDiscord } from './discord.format.ts';
import { formatGoogleChat } from './google-chat.format.ts';
import { formatSlack } from './slack.format.ts';
import { formatTeams } from './teams.format.ts';
import { postJson } from './webhook-post.ts';

export interface ChannelOptions {
  url: string;
  kind: ChannelKind;
  /** Longest time for the whole exchange. */
  timeoutMs?: number;
}

export interface Channel {
  /**
   * Posts a message of at most 10,000 characters, cut to what the channel takes. Whatever the text holds is shown as
   * text: it notifies nobody and hides no link behind other words. Fails with a `ChannelError`.
   */
  post(message: { text: string }, signal?: AbortSignal): Promise<void>;
}

/** The most characters of one message. */
export const channelTextMax = 10_000;

const formats: Record<ChannelKind, (text: string) => object> = {
  slack: formatSlack,
  teams: formatTeams,
  discord: formatDiscord,
  'google-chat': formatGoogleChat,
};

/** A team chat channel behind the webhook that its vendor gave out. */
export function createChannel({ url, kind, timeoutMs = 5_000 }: ChannelOptions): Channel {
  const target = new URL(url);
  return {
    post: async ({ text }, signal) =>
      postJson(target, { body: JSON.stringify(formats[kind](readable(text))), timeoutMs, signal }),
  };
}

function readable(text: string): string {
  if (text.length > channelTextMax) throw invalidText(`The text is longer than ${channelTextMax} characters.`);
  const cleaned = cleanText(text);
  if (cleaned === '') throw invalidText('The text is empty.');
  return cleaned;
}

const invalidText = (message: string) => new ChannelError('invalid_text', message, { isRetryable: false });
