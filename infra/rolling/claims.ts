import { type AppName, appNames, serviceOf } from '../services.ts';
import { workflows } from './load/loaded-organization.ts';
import { nextIndexes } from './migration.ts';
import { nextMigrations } from './next-release.ts';
import type { Rolled, RollingOptions } from './rolling.ts';

type Claim = (rolled: Rolled, options: Pick<RollingOptions, 'replicas' | 'stopMs' | 'goesBack'>) => string[];

/** Claims about a rollout. Each is a function that returns the contradicting observations. */
export const claims: Record<string, Claim> = {
  'every request was answered as if nothing happened, and every stream ended in order': ({ tally }) => tally.failures,

  'there were requests of every kind, and streams that were followed': ({ tally }) =>
    [...requestKinds, ...streamKinds].filter((kind) => !tally.counts[kind]),

  'every accepted record exists once, and no other record exists': ({ accepted, effects }) =>
    differences([...accepted.contacts.keys()], effects.emails),

  'every run of an accepted delivery succeeded, and wrote once': ({ accepted, effects }) => [
    ...Object.keys(effects.runs).filter((status) => status !== 'succeeded'),
    ...differences(
      [...accepted.nonces].flatMap((nonce) => workflows.map((name) => `${name} ${nonce}`)),
      effects.logged,
    ),
  ],

  'a client that follows the events saw each created record once': ({ accepted, followed }) =>
    differences([...accepted.contacts.values()], followed),

  'the migration of the next release ran while the present release served requests': ({ migration }) =>
    nextMigrations.flatMap(({ name }) => (migration.includes(name) ? [] : [`${name} is not in ${migration}`])),

  'the indexes of lists were built under load (acceptance B4.9)': ({ migration }) => {
    const { indexes } = JSON.parse(migration) as { indexes: string[] };
    return differences(nextIndexes, indexes);
  },

  'the present release had nothing to migrate on the schema of the next one': ({ migrationBack }, { goesBack }) =>
    goesBack ? contradictions(migrationBack) : [],

  'every replica was replaced, and ended by itself within its time': ({ stopped }, { replicas, stopMs, goesBack }) => [
    ...appNames.filter((name) => stopped.filter(({ app }) => app === name).length !== replicas * (goesBack ? 2 : 1)),
    ...stopped.flatMap(({ app, name, code, signal, tookMs }) =>
      code === 0 && signal === null && tookMs < stopMs(app) ? [] : [`${name}: ${code} ${signal} after ${tookMs} ms`],
    ),
  ],

  'a replica that stops is not ready before it closes its port': ({ stopped, probed }) =>
    stopped
      .filter(({ app }) => isServed(app))
      .map(({ name }) => `${name}: ${probed.get(name)?.map(String).join(', ')}`)
      .filter((line) => !/\b200, 503, undefined$/.test(line)),
};

const requestKinds = ['create', 'patch', 'get', 'list', 'webhook', 'console', 'chat'];
const streamKinds = ['event stream', 'console stream'];

/** Returns the older tool's output if it does not say that the schema is newer and that nothing was migrated. */
function contradictions(said = ''): string[] {
  const { migrated, newer } = JSON.parse(said) as Record<'migrated' | 'newer', string[]>;
  const isUntouched = migrated.length === 0 && nextMigrations.every(({ name }) => newer.includes(name));
  return isUntouched ? [] : [said];
}

/** Returns true for an app that serves requests behind the gateway. */
const isServed = (app: AppName) => serviceOf(app).prefix !== undefined;

/** Returns missing, unexpected and repeated items. */
function differences(expected: readonly string[], found: readonly string[]): string[] {
  const left = new Set(expected);
  const wrong = found.filter((each) => !left.delete(each));
  return [
    ...wrong.map((each) => `${each} is unexpected or repeated`),
    ...[...left].map((each) => `${each} is missing`),
  ];
}
