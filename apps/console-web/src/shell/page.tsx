import { createContext, type ReactNode, use, useEffect, useRef } from 'react';
import { visibleText } from '../ui/text/visible-text.ts';
import css from './page.module.css';
import { CopyLink } from '../ui/controls/copy.tsx';

interface PageProps {
  title: string;
  intro?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

export function Page({ title, intro, actions, children }: PageProps) {
  useTitle(title);
  return (
    <>
      <header className={css.pageHead}>
        <div>
          <div className={css.titleLine}>
            <h1>{title}</h1>
            <CopyLink />
          </div>
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
    document.title = `${visibleText(title)} · Relata`;
  }, [title]);
}

interface TabsProps {
  label: string;
  current: string;
  children: ReactNode;
}

/** Links to the parts of a page, in one row. If the row is too narrow, it scrolls to the current part. */
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

/** Visible width of the tab before the current one, in px. */
const besideCurrent = 32;

interface PanelProps {
  title?: string;
  /** Replaces the title, which is then only the accessible name. */
  heading?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

export function Panel({ title, heading, actions, children }: PanelProps) {
  return (
    <section className={css.panel} aria-label={title}>
      {title && (
        <header className={css.panelHead}>
          <h2>{heading ?? title}</h2>
          {actions}
        </header>
      )}
      {children}
    </section>
  );
}

export const InFrame = createContext(false);

/** A short message instead of a page, in a `<main>` unless the surrounding frame already has one. */
export function Alone({ children }: { children: ReactNode }) {
  const Element = use(InFrame) ? 'div' : 'main';
  return <Element className={css.alone}>{children}</Element>;
}
