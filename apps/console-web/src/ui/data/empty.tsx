import { type ReactNode, useEffect, useState } from 'react';
import css from './data.module.css';

export function Empty({ title, children }: { title?: string; children?: ReactNode }) {
  return (
    <div className={css.empty}>
      {title && <p className={css.emptyTitle}>{title}</p>}
      {children}
    </div>
  );
}

const quietMs = 150;

/** A placeholder that appears once the wait is long enough to be noticed. */
export function Skeleton({ lines = 6 }: { lines?: number }) {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), quietMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={css.skeleton} aria-busy data-skeleton data-shown={isShown || undefined}>
      <span className="sr-only" role="status">
        {isShown ? 'Loading' : ''}
      </span>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} />
      ))}
    </div>
  );
}
