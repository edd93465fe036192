import type { ChannelKind } from './channel.settings.ts';

/** Hosts of the vendors' webhook URLs. A leading dot matches all subdomains. */
const hosts: readonly (readonly [host: string, kind: ChannelKind])[] = [
  ['hooks.slack.com', 'slack'],
  ['hooks.slack-gov.com', 'slack'],
  ['discord.com', 'discord'],
  ['.discord.com', 'discord'],
  ['discordapp.com', 'discord'],
  ['chat.googleapis.com', 'google-chat'],
  ['.webhook.office.com', 'teams'],
  ['.logic.azure.com', 'teams'],
  ['.api.powerplatform.com', 'teams'],
];

/** Returns the kind of messages that a webhook accepts, by the host of its URL; undefined if the host is unknown. */
export function detectChannelKind({ hostname, pathname }: URL): ChannelKind | undefined {
  const kind = hosts.find(([host]) => (host.startsWith('.') ? hostname.endsWith(host) : hostname === host))?.[1];
  // https://docs.discord.com/developers/resources/webhook#execute-slackcompatible-webhook
  return kind === 'discord' && pathname.endsWith('/slack') ? 'slack' : kind;
}
