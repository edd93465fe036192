import { createContext, type ReactNode, use } from 'react';
import css from './page.module.css';

/** True inside the `<main>` of the frame. */
export const InFrame = createContext(false);

/** A few lines instead of a page: a part of the frame's `<main>`, and a `<main>` of its own where there is no frame. */
export function Alone({ children }: { children: ReactNode }) {
  const Element = use(InFrame) ? 'div' : 'main';
  return <Element className={css.alone}>{children}</Element>;
}
