import { useSyncExternalStore } from 'react';

/** Kept in this browser, for all of its tabs. */
const settingName = 'relata.times';
const read = () => localStorage.getItem(settingName) === 'utc';

let isOn = read();
const watchers = new Set<() => void>();

function become(next: boolean): void {
  isOn = next;
  for (const watcher of watchers) watcher();
}

addEventListener('storage', ({ key }) => (key === settingName || key === null) && become(read()));

/** True if times are shown in UTC rather than in the zone of this browser. */
export const areTimesUtc = () => isOn;

export function showTimesInUtc(next: boolean): void {
  if (next) localStorage.setItem(settingName, 'utc');
  else localStorage.removeItem(settingName);
  become(next);
}

export function useAreTimesUtc(): boolean {
  return useSyncExternalStore((watcher) => {
    watchers.add(watcher);
    return () => void watchers.delete(watcher);
  }, areTimesUtc);
}
