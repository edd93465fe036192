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

/** Returns the kind of team chat to which a webhook's URL belongs; undefined if the host is unknown. */
export function detectChannelKind({ hostname }: URL): ChannelKind | undefined {
  return hosts.find(([host]) => (host.startsWith('.') ? hostname.endsWith(host) : hostname === host))?.[1];
}
