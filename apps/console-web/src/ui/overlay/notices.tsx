import { useSyncExternalStore } from 'react';
import css from './overlay.module.css';

interface Notice {
  id: number;
  text: string;
  isDone: boolean;
}

const shownMs = 6_000;
let notices: readonly Notice[] = [];
let lastId = 0;
const watchers = new Set<() => void>();

function change(next: readonly Notice[]): void {
  notices = next;
  for (const watcher of watchers) watcher();
}

/** Says that something is done, or that a key did nothing. Never for another error: those stand where they are acted on. */
export function notify(text: string, { isDone = true } = {}): void {
  const id = ++lastId;
  change([...notices.slice(-2), { id, text, isDone }]);
  setTimeout(() => change(notices.filter((notice) => notice.id !== id)), shownMs);
}

export function Notices() {
  const shown = useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    () => notices,
  );
  return (
    <div className={css.notices} role="status">
      {shown.map(({ id, text, isDone }) => (
        <p key={id}>
          <span aria-hidden>{isDone ? '✓' : '⚠'} </span>
          {text}
        </p>
      ))}
    </div>
  );
}
