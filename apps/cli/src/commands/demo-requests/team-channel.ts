import { type Channel, channelSettings, createChannel } from '@relata/channel';
import { readSettings } from '@relata/runtime';
import { CliError } from '../../output/cli.error.ts';
import { findStackOn } from '../../command/stack.file.ts';

/** The team's channel: what the environment says, else that of the running local stack, if this database is its. */
export function requireChannel(databaseUrl: string, environment: NodeJS.ProcessEnv = process.env): Channel {
  const { TEAM_CHANNEL_WEBHOOK_URL: url, TEAM_CHANNEL_KIND: kind } = readSettings(channelSettings, environment);
  const channel = url === undefined ? findStackOn(databaseUrl)?.channel : { url, kind };
  if (!channel)
    throw new CliError(
      'configuration_error',
      'There is no team channel to send to: set TEAM_CHANNEL_WEBHOOK_URL, and TEAM_CHANNEL_KIND where it is not Slack.',
    );
  return createChannel(channel);
}
