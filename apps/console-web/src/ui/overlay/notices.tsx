import { createStore } from '../../api/store.ts';
import css from './overlay.module.css';

interface Notice {
  id: number;
  text: string;
  isDone: boolean;
}

const shownMs = 6_000;
const notices = createStore<readonly Notice[]>([]);
let lastId = 0;

/** Shows a confirmation, or a warning if `isDone` is false. Errors of actions are shown beside their buttons. */
export function notify(text: string, { isDone = true } = {}): void {
  const id = ++lastId;
  notices.set([...notices.get().slice(-2), { id, text, isDone }]);
  setTimeout(() => notices.set(notices.get().filter((notice) => notice.id !== id)), shownMs);
}

export function Notices() {
  return (
    <div className={css.notices} role="status">
      {notices.useValue().map(({ id, text, isDone }) => (
        <p key={id}>
          <span aria-hidden>{isDone ? '✓' : '⚠'} </span>
          {text}
        </p>
      ))}
    </div>
  );
}
