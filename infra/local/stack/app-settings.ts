import { paths } from '../paths.ts';
import { docsPath } from '../gateway/routes.ts';
import type { StackFile } from './stack-file.ts';

export interface AppSettingsOptions {
  baseUrl: string;
  /** The inbox, where it plays the team's channel. */
  channel: StackFile['channel'];
}

/**
 * What the apps are told of the stack, over what the user has set: the chat answers from the pages of the demo site
 * unless it was given others, and messages to the team go to the inbox where no channel was named.
 */
export function appSettings(
  environment: NodeJS.ProcessEnv,
  { baseUrl, channel }: AppSettingsOptions,
): Record<string, string> {
  // An empty variable counts as unset, as in the applications.
  const knowledge = environment['KNOWLEDGE_DIR']
    ? {}
    : { KNOWLEDGE_DIR: paths.knowledge, KNOWLEDGE_BASE_URL: `${baseUrl}${docsPath}/` };
  return {
    ...knowledge,
    ...(channel && { TEAM_CHANNEL_WEBHOOK_URL: channel.url, TEAM_CHANNEL_KIND: channel.kind }),
  };
}
