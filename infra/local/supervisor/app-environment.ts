import { type AppName, serviceOf } from '../../services.ts';

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
  const { settings } = serviceOf(app);
  const general = [machine, runtime, ...(hasOwnDatabase ? [database] : [])];
  const isIts = (name: string) => name in settings || general.some((names) => names.test(name));
  // An empty variable counts as unset: it does not take the place of what the stack itself sets.
  return Object.fromEntries(Object.entries(environment).filter(([name, value]) => value !== '' && isIts(name)));
}
