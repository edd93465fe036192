import { type AppName, serviceOf } from '../../services.ts';

/** Matches variables that describe the machine and the user, such as paths and the locale. */
const machine = /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|TMPDIR|TMP|TEMP|TZ|LANG|LANGUAGE|LC_\w+)$/;
/** Matches options of Node and the C library. npm's token, NODE_AUTH_TOKEN, is not among them. */
const runtime = /^(NODE_(?!AUTH_)\w+|UV_\w+|MALLOC_\w+|SSL_CERT_(FILE|DIR)|(https?|all|no)_proxy)$/i;
/** Matches variables that the PostgreSQL client reads in addition to its URL. The embedded server needs none. */
const database = /^PG[A-Z]+$/;

/**
 * Returns the part of the user's environment that an app gets: its own settings, and variables that describe the
 * machine. The app is exposed to strangers, so it gets no other variables, such as keys of other services.
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
