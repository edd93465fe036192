import type { ReactNode } from 'react';
import { Banners } from '../shell/banners.tsx';
import { useTitle } from '../shell/page.tsx';
import css from './people.module.css';

export function AuthLayout({ title, children }: { title: string; children: ReactNode }) {
  useTitle(title);
  return (
    <>
      <Banners />
      <main className={css.auth}>
        <p className={css.brand}>Relata</p>
        <h1>{title}</h1>
        {children}
      </main>
    </>
  );
}
