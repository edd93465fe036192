import { parseArgs } from 'node:util';

export interface StartOptions {
  port: number;
  /** Delete the data first. */
  isFresh: boolean;
  /** Post a day of deliveries to an empty database. */
  hasDay: boolean;
  wantsHelp: boolean;
  /** Servers of the user, used unchanged. */
  databaseUrl: string | undefined;
  natsUrl: string | undefined;
  /** The user has a team channel of their own. */
  hasChannel: boolean;
}

export const help = `Starts the whole of Relata on this machine, and stops it on Ctrl-C.

  npm start                 keeps its data in .local/
  npm start -- --fresh      deletes that data first
  npm start -- --no-demo-day
                            makes the demo organizations in an empty database, without deliveries and runs

Environment:
  PORT            the port of the one address (8080)
  DATABASE_URL    a PostgreSQL to use instead of the embedded one
  DATABASE_MIGRATION_URL
                  the same one as the owner of its tables, where DATABASE_URL names a role that is not
  NATS_URL        a NATS server with JetStream to use instead of an own one
  TEAM_CHANNEL_WEBHOOK_URL, TEAM_CHANNEL_KIND
                  the team's channel; without one, messages to the team are shown here
  OPENAI_API_KEY, CHAT_MODEL
                  a model for the chat; without one, a built-in one answers from the pages alone
  Every other setting of docs/configuration.md reaches the applications that read it.
`;

/** Reads the command line and the environment; throws an error with what to correct. */
export function readStartOptions(args: string[], environment: NodeJS.ProcessEnv): StartOptions {
  const { fresh, help: wantsHelp, 'no-demo-day': hasNoDay } = parse(args);
  // An empty variable counts as unset, as in the applications.
  const databaseUrl = environment['DATABASE_URL'] || undefined;
  if (fresh && databaseUrl) {
    throw new Error('--fresh deletes the embedded database, and DATABASE_URL names another. Unset one of them.');
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
  const port = Number(text || 8080);
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
  throw new Error(`PORT must be a number from 1 to 65535, and it is "${text}".`);
}
