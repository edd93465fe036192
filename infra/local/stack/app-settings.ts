import { resolve } from 'node:path';
import type { KeptKeys } from '../kept-secrets.ts';
import { paths } from '../paths.ts';
import { docsPath } from '../gateway/routes.ts';
import type { StackFile } from './stack-file.ts';

export interface AppSettingsOptions {
  baseUrl: string;
  /** The inbox, if it stands in for the team's channel. */
  channel: StackFile['channel'];
  keys: KeptKeys;
}

/**
 * Returns the settings with which the stack overrides the user's environment. Each app gets the settings that it
 * declares. The chat answers from the pages of the demo site unless the environment names others. Messages to the team
 * go to the inbox unless the environment names a channel.
 */
export function appSettings(
  environment: NodeJS.ProcessEnv,
  { baseUrl, channel, keys }: AppSettingsOptions,
): Record<string, string> {
  // An empty variable counts as unset, as in the apps. The path is made absolute, because their working directory
  // differs.
  const dir = environment['KNOWLEDGE_DIR'];
  const knowledge = dir
    ? { KNOWLEDGE_DIR: resolve(dir) }
    : { KNOWLEDGE_DIR: paths.knowledge, KNOWLEDGE_BASE_URL: `${baseUrl}${docsPath}/` };
  return {
    ...knowledge,
    ...(channel && { TEAM_CHANNEL_WEBHOOK_URL: channel.url, TEAM_CHANNEL_KIND: channel.kind }),
    ...keys,
  };
}
