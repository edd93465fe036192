import { useSyncExternalStore } from 'react';

/** A value that is shared by the whole page and stored outside of React. */
export interface Store<Value> {
  get: () => Value;
  set: (next: Value) => void;
  /** Returns the value, or a part of it. The component renders again only if this part changes. */
  useValue: <Shown = Value>(shown?: (value: Value) => Shown) => Shown;
}

export function createStore<Value>(first: Value): Store<Value> {
  let value = first;
  const watchers = new Set<() => void>();
  const watch = (watcher: () => void) => {
    watchers.add(watcher);
    return () => void watchers.delete(watcher);
  };
  return {
    get: () => value,
    set: (next) => {
      value = next;
      for (const watcher of watchers) watcher();
    },
    useValue: <Shown = Value>(shown = (all: Value) => all as unknown as Shown) =>
      useSyncExternalStore(watch, () => shown(value)),
  };
}
