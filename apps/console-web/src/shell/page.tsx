import { type ReactNode, useEffect, useRef } from 'react';
import css from './page.module.css';

interface PageProps {
  title: string;
  /** Stands in the place of the title, which is then that of the tab alone. */
  heading?: ReactNode;
  intro?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

export function Page({ title, heading, intro, actions, children }: PageProps) {
  useTitle(title);
  return (
    <>
      <header className={css.pageHead}>
        <div>
          <h1>{heading ?? title}</h1>
          {intro && <p className={css.intro}>{intro}</p>}
        </div>
        {actions && <div className={css.pageActions}>{actions}</div>}
      </header>
      {children}
    </>
  );
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Relata`;
  }, [title]);
}

interface TabsProps {
  label: string;
  /** Whatever names the one that is shown. */
  current: string;
  children: ReactNode;
}

/** Links to the parts of something, in one row; where it is too narrow for them it scrolls, with the current one in view. */
export function Tabs({ label, current, children }: TabsProps) {
  const row = useRef<HTMLElement>(null);
  useEffect(() => {
    const link = row.current!.querySelector<HTMLElement>('[aria-current]');
    if (link) row.current!.scrollLeft = link.offsetLeft - row.current!.offsetLeft - besideCurrent;
  }, [current]);
  return (
    <nav className={css.tabs} aria-label={label} ref={row}>
      {children}
    </nav>
  );
}

/** So much of the tab before it is seen, in px. */
const besideCurrent = 32;

/** A part of a page with a line around it. */
export function Panel({ title, actions, children }: { title?: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className={css.panel} aria-label={title}>
      {title && (
        <header className={css.panelHead}>
          <h2>{title}</h2>
          {actions}
        </header>
      )}
      {children}
    </section>
  );
}
