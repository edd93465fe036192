import { type IndexState, listIndexes, readIndexStates } from '@relata/records';
import { checkOn, ok, warning } from '../check.ts';
import { listInvalidIndexes } from './tables.sql.ts';
import { formatNames } from '../format.ts';

/** Checks that lists can be sorted, filtered and searched by all fields, and that no other index is invalid. */
export const indexes = checkOn('database', 'indexes', async ({ database }) => {
  const states = await readIndexStates(database);
  const named = (wanted: IndexState) =>
    states
      .filter(({ state, isDefault }) => state === wanted && (isDefault || state !== 'missing'))
      .map(({ name }) => name);
  const ofLists = listIndexes.map(({ index }) => index);
  const others = (await listInvalidIndexes(database, ofLists)).map(({ name }) => name);
  const [missing, invalid, building] = [named('missing'), named('invalid'), named('building')];
  const found = [
    ...(missing.length > 0 ? [`Missing: ${formatNames(missing)}.`] : []),
    ...(invalid.length > 0 ? [`Invalid: ${formatNames(invalid)}.`] : []),
    ...(missing.length + invalid.length > 0 ? ['Lists refuse the sorts and filters that need them.'] : []),
    ...(others.length > 0 ? [`Other invalid indexes, which PostgreSQL does not use: ${formatNames(others)}.`] : []),
    ...(building.length > 0 ? [`Being built: ${formatNames(building)}.`] : []),
  ];
  if (found.length === 0) return ok('All indexes of lists are ready.');
  const advice = [
    ...(missing.length + invalid.length > 0 ? ['Run: relata indexes create'] : []),
    ...(others.length > 0 ? [adviceFor(others)] : []),
  ];
  if (advice.length > 0) return warning(found.join(' '), advice.join('. '));
  return ok(`${found.join(' ')} Until they are ready, lists refuse the sorts and filters that need them.`);
});

/** Returns advice with the command for the first index. A failed REINDEX leaves a copy, which must be dropped. */
function adviceFor([name, ...more]: readonly string[]): string {
  const verb = /_cc(new|old)\d*$/.test(name!) ? 'DROP' : 'REINDEX';
  const again = more.length > 0 ? ', then check again' : '';
  return `Run as the owner of the tables: ${verb} INDEX CONCURRENTLY ${name!}${again}`;
}
