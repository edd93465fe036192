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

interface PanelProps {
  title?: string;
  /** Stands in the place of the title, which is then the name of the part alone. */
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

/** A few lines instead of a page: a part of the frame's `<main>`, and a `<main>` of its own where there is no frame. */
export function Alone({ children }: { children: ReactNode }) {
  const Element = use(InFrame) ? 'div' : 'main';
  return <Element className={css.alone}>{children}</Element>;
}
