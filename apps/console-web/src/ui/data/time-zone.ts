import { createStore } from '../../api/store.ts';

/** Kept in this browser, for all of its tabs. */
const settingName = 'relata.times';
const read = () => localStorage.getItem(settingName) === 'utc';

const isUtc = createStore(read());

addEventListener('storage', ({ key }) => (key === settingName || key === null) && isUtc.set(read()));

/** True if times are shown in UTC rather than in the zone of this browser. */
export const areTimesUtc = isUtc.get;

export const useAreTimesUtc = () => isUtc.useValue();

export function showTimesInUtc(next: boolean): void {
  if (next) localStorage.setItem(settingName, 'utc');
  else localStorage.removeItem(settingName);
  isUtc.set(next);
}
