import { documentUrl } from '@relata/schemas/document-url';
import { editDistance } from '@relata/schemas/edit-distance';
import { type Check, ok, warning } from '../check.ts';
import { formatCount, formatNames } from '../format.ts';
import { knownSettings } from './known-settings.ts';

/**
 * Minimum length of a name that is compared. Shorter names, such as HOST and HOME, resemble many settings of other
 * programs.
 */
const nameLengthMin = 8;
const editsMax = 2;

/**
 * Checks that every variable whose name resembles a setting is a setting. Also names empty variables. These need no
 * action: Compose and Kubernetes pass each omitted setting as an empty one, and apps treat it as unset. Values are
 * never shown.
 */
export const settings: Check = {
  name: 'settings',
  run: ({ environment, emptyVariables }) => {
    const known = new Set<string>(knownSettings);
    const misspelt = Object.keys(environment).flatMap((name) => meant(name, known));
    const empty = emptyVariables.filter((name) => known.has(name));
    const unset = empty.length > 0 ? ` Empty, and therefore not set: ${formatNames(empty)}.` : '';
    const page = documentUrl('configuration', environment['PUBLIC_URL']);
    const given = Object.keys(environment).filter((name) => known.has(name) && environment[name] !== '').length;
    return Promise.resolve(
      misspelt.length > 0
        ? warning(`Unknown: ${formatNames(misspelt)}.${unset}`, `Compare them with ${page}.`)
        : ok(`${formatCount(given, 'setting')} in this environment, all known.${unset}`),
    );
  },
};

function meant(name: string, known: ReadonlySet<string>): string[] {
  if (known.has(name) || name.length < nameLengthMin) return [];
  const near = knownSettings.find((candidate) => editDistance(name.toUpperCase(), candidate, editsMax) <= editsMax);
  return near === undefined ? [] : [`${name} (${near}?)`];
}
