import { useLocation } from '@tanstack/react-router';
import { useLayoutEffect, useRef, useState } from 'react';

const statesMax = 50;

/** States of a part of a page by history entry, so that Back restores them. Only the newest states are kept. */
export class EntryStates<State> {
  readonly #states = new Map<string, State>();

  get(entry: string): State | undefined {
    return this.#states.get(entry);
  }

  keep(entry: string, state: State): void {
    this.#states.delete(entry);
    this.#states.set(entry, state);
    const [oldest] = this.#states.keys();
    if (this.#states.size > statesMax) this.#states.delete(oldest!);
  }
}

/**
 * Returns a key for a part of the page in the current history entry. After a navigation, returns the previous key until
 * the page unmounts.
 */
export function useEntry(label: string): string {
  const pathname = useLocation({ select: (location) => location.pathname });
  const key = useLocation({ select: ({ state }) => state.__TSR_key ?? '' });
  const [home] = useState(pathname);
  const last = useRef(key);
  useLayoutEffect(() => {
    if (pathname === home) last.current = key;
  });
  return `${pathname === home ? key : last.current} ${label}`;
}
