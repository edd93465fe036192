import { z } from 'zod';

/** Kinds of team chat for which messages can be formatted. */
export const channelKinds = ['slack', 'teams', 'discord', 'google-chat'] as const;

export type ChannelKind = (typeof channelKinds)[number];

export const channelSettings = {
  TEAM_CHANNEL_WEBHOOK_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http(s) URL.' })
    .optional()
    .meta({
      description: 'Webhook of the team chat channel that messages are posted to; without it nothing is posted.',
      secret: true,
      examples: ['https://hooks.slack.com/services/…'],
    }),
  TEAM_CHANNEL_KIND: z
    .enum(channelKinds)
    .optional()
    .meta({
      description:
        `Chat product behind \`TEAM_CHANNEL_WEBHOOK_URL\`: ${channelKinds.join(', ')}. By default the product of the ` +
        "URL's host, or slack if the host is unknown.",
    }),
};
