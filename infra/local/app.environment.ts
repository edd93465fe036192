import type { SettingsShape } from '@relata/runtime';
import { settings as chatGateway } from '../../apps/chat-gateway/src/settings.ts';
import { settings as recordsApi } from '../../apps/records-api/src/settings.ts';
import { settings as webhookIngest } from '../../apps/webhook-ingest/src/settings.ts';
import { settings as workflowWorker } from '../../apps/workflow-worker/src/settings.ts';
import type { AppName } from './gateway.routes.ts';

const settings: Record<AppName, SettingsShape> = {
  'records-api': recordsApi,
  'chat-gateway': chatGateway,
  'webhook-ingest': webhookIngest,
  'workflow-worker': workflowWorker,
};

/** Where things are on this machine, and how Node and the C library behave; npm's token is none of it. */
const machine = /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|TMPDIR|TMP|TEMP|TZ|LANG|LANGUAGE|LC_\w+)$/;
const runtime = /^(NODE_(?!AUTH_)\w+|UV_\w+|MALLOC_\w+|SSL_CERT_(FILE|DIR)|(https?|all|no)_proxy)$/i;
/** What the PostgreSQL client reads beside its URL; the embedded server needs none of it. */
const database = /^PG[A-Z]+$/;

/**
 * What an app is given of the user's environment: its own settings, and what the machine is like. Whatever else is set, such
 * as the keys of other services, is no concern of a process that strangers talk to.
 */
export function inheritedEnvironment(
  app: AppName,
  environment: NodeJS.ProcessEnv,
  { hasOwnDatabase }: { hasOwnDatabase: boolean },
): NodeJS.ProcessEnv {
  const general = [machine, runtime, ...(hasOwnDatabase ? [database] : [])];
  const isIts = (name: string) => name in settings[app] || general.some((names) => names.test(name));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => isIts(name)));
}
