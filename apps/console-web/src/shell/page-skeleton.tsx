import { use } from 'react';
import { Skeleton } from '../ui/data/empty.tsx';
import css from './page.module.css';
import { InFrame } from './page.tsx';

/** Placeholder for a page that is loading. Except for the very first page, the frame around it is already visible. */
export function PageSkeleton() {
  if (!use(InFrame)) return <FirstSkeleton />;
  return (
    <>
      <div className={css.headSkeleton} />
      <div className={css.panel}>
        <Skeleton lines={12} />
      </div>
    </>
  );
}

/** The skeleton that `index.html` shows before any script has run. */
function FirstSkeleton() {
  return (
    <div className="first" aria-busy>
      <div />
      <div />
      <div />
      <span className="sr-only" role="status">
        Loading
      </span>
    </div>
  );
}
