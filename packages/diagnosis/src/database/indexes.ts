import { type IndexState, readIndexStates } from '@relata/records';
import { checkOn, ok, warning } from '../check.ts';
import { some } from '../words.ts';

/** Checks that lists can be sorted, filtered and searched by all fields. */
export const indexes = checkOn('database', 'indexes', async ({ database }) => {
  const states = await readIndexStates(database);
  const named = (wanted: IndexState) =>
    states
      .filter(({ state, isDefault }) => state === wanted && (isDefault || state !== 'missing'))
      .map(({ name }) => name);
  const [missing, invalid, building] = [named('missing'), named('invalid'), named('building')];
  const found = [
    ...(missing.length > 0 ? [`Missing: ${some(missing)}.`] : []),
    ...(invalid.length > 0 ? [`Invalid: ${some(invalid)}.`] : []),
    ...(building.length > 0 ? [`Being built: ${some(building)}.`] : []),
  ];
  if (found.length === 0) return ok('All indexes of lists are ready.');
  if (missing.length + invalid.length === 0) return ok(`${found.join(' ')} Until then, lists refuse them.`);
  return warning(`${found.join(' ')} Lists refuse their sorts and filters.`, 'Run: relata indexes create');
});
