import { type AppName, serviceOf } from '../../services.ts';

/** Paths and locale of the machine, and options of Node and the C library; npm's token is not among them. */
const machine = /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|TMPDIR|TMP|TEMP|TZ|LANG|LANGUAGE|LC_\w+)$/;
const runtime = /^(NODE_(?!AUTH_)\w+|UV_\w+|MALLOC_\w+|SSL_CERT_(FILE|DIR)|(https?|all|no)_proxy)$/i;
/** Variables that the PostgreSQL client reads beside its URL; the embedded server needs none. */
const database = /^PG[A-Z]+$/;

/**
 * Returns the part of the user's environment that an app gets: its own settings, and variables that describe the
 * machine. Other variables, such as the keys of other services, do not reach a process that is exposed to strangers.
 */
export function inheritedEnvironment(
  app: AppName,
  environment: NodeJS.ProcessEnv,
  { hasOwnDatabase }: { hasOwnDatabase: boolean },
): NodeJS.ProcessEnv {
  const { settings } = serviceOf(app);
  const general = [machine, runtime, ...(hasOwnDatabase ? [database] : [])];
  const isIts = (name: string) => name in settings || general.some((names) => names.test(name));
  // An empty variable counts as unset, so it does not override a setting of the stack.
  return Object.fromEntries(Object.entries(environment).filter(([name, value]) => value !== '' && isIts(name)));
}
