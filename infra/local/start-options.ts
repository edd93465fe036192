import { parseArgs } from 'node:util';

export interface StartOptions {
  port: number;
  /** True to delete the data before the start. */
  isFresh: boolean;
  /** True to post a day of deliveries if the database is empty. */
  hasDay: boolean;
  wantsHelp: boolean;
  /** Addresses of the user's own servers, used unchanged. */
  databaseUrl: string | undefined;
  natsUrl: string | undefined;
  /** True if the user has their own team channel. */
  hasChannel: boolean;
}

export const help = `Starts all of Relata on this machine, and stops it on Ctrl-C.

  npm start                 keeps its data in .local/
  npm start -- --fresh      deletes that data first
  npm start -- --no-demo-day
                            creates the demo organizations in an empty database, without deliveries and runs

Environment:
  PORT            the port of Relata (8080)
  DATABASE_URL    a PostgreSQL to use instead of the embedded one
  DATABASE_MIGRATION_URL
                  the same database with the role that owns its tables, if DATABASE_URL has another role
  NATS_URL        a NATS server with JetStream to use instead of the embedded one
  TEAM_CHANNEL_WEBHOOK_URL, TEAM_CHANNEL_KIND
                  the team's channel; without it, messages to the team are shown here
  OPENAI_API_KEY, CHAT_MODEL
                  a model for the chat; without it, a built-in model answers only from the pages
  Other settings of docs/configuration.md are passed on to the apps that read them.
`;

/** Reads the command line and the environment. Throws an error that says what to correct. */
export function readStartOptions(args: string[], environment: NodeJS.ProcessEnv): StartOptions {
  const { fresh, help: wantsHelp, 'no-demo-day': hasNoDay } = parse(args);
  // An empty variable counts as unset, as in the apps.
  const databaseUrl = environment['DATABASE_URL'] || undefined;
  if (fresh && databaseUrl) {
    throw new Error(
      '--fresh deletes the embedded database, but DATABASE_URL selects another database. Omit --fresh or unset DATABASE_URL.',
    );
  }
  const natsUrl = environment['NATS_URL'] || undefined;
  const hasChannel = Boolean(environment['TEAM_CHANNEL_WEBHOOK_URL']);
  const port = portOf(environment['PORT']);
  return { port, isFresh: fresh, hasDay: !hasNoDay, wantsHelp, databaseUrl, natsUrl, hasChannel };
}

function parse(args: string[]): { fresh: boolean; help: boolean; 'no-demo-day': boolean } {
  const options = {
    fresh: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
    'no-demo-day': { type: 'boolean', default: false },
  } as const;
  try {
    return parseArgs({ args, options }).values;
  } catch (cause) {
    throw new Error(`${cause instanceof Error ? cause.message : String(cause)}\n\n${help}`, { cause });
  }
}

function portOf(text: string | undefined): number {
  const given = text || '8080';
  const port = Number(given);
  if (/^\s*\d+\s*$/.test(given) && port >= 1 && port <= 65_535) return port;
  throw new Error(`PORT must be a number from 1 to 65535, not "${text}".`);
}
