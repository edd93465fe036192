import { services } from '../services.ts';
import { describedSettings } from './configuration.ts';
import { fillRegion } from './region.ts';

type App = (typeof services)[number];

/** Settings that the generated parts of compose.yaml do not pass on from `.env`. */
const fixed = new Set([
  // compose.yaml sets these itself.
  'DATABASE_URL',
  'NATS_URL',
  'TRUST_PROXY',
  // The image sets these.
  'HOST',
  'PORT',
  'METRICS_PORT',
  'NODE_ENV',
  // An app would be killed if these were longer than `stop_grace_period`, which is fixed.
  'STOP_DRAIN_MS',
  'STOP_TIMEOUT_MS',
]);

/** Settings that Compose makes from another variable. */
const made: Record<string, string> = { KNOWLEDGE_DIR: '${KNOWLEDGE_FOLDER:+/knowledge}' };

const namesOf = ({ settings }: App) => Object.keys(settings).filter((name) => !fixed.has(name));

/** Returns the line that passes a setting on. If `.env` does not set it, the value is empty, which counts as unset. */
const handedOn = (name: string) => `${name}: ${made[name] ?? `\${${name}:-}`}`;

const shared = services.map(namesOf).reduce((common, names) => common.filter((name) => names.includes(name)));

/** Returns the lines for the settings that all apps have. */
export const sharedEnvironment = (): string[] => shared.map(handedOn);

/** Returns the environment of an app: a reference to the shared environment, and the other settings of the app. */
export function environmentOf(app: App): string[] {
  const own = namesOf(app).filter((name) => !shared.includes(name));
  return ['environment:', ...['<<: *environment', ...own.map(handedOn)].map((line) => `  ${line}`)];
}

/** Fills in the settings that `.env` can change, with their defaults, except those that the example explains itself. */
export function composeExample(present: string): string {
  const names = new Set(services.flatMap(namesOf).filter((name) => !(name in made)));
  const explained = fillRegion(present, 'settings', []);
  const lines = describedSettings()
    .filter(({ name }) => names.has(name) && !explained.includes(`# ${name}=`))
    .map(({ name, fallback = '' }) => `# ${name}=${fallback}`);
  return fillRegion(present, 'settings', lines);
}
