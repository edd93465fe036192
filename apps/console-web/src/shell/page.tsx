import { type ReactNode, useEffect } from 'react';
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
