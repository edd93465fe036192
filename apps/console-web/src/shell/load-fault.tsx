import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useOutage } from '../api/connection.ts';
import { asFailure } from '../api/failure.ts';
import { Trouble } from '../ui/data/trouble.tsx';
import { Banners } from './banners.tsx';
import css from './shell.module.css';

/** A page that could not be opened; where the service was away it opens by itself once that is back. */
export function LoadFault({ error }: { error: unknown }) {
  const router = useRouter();
  const isAway = useOutage() !== undefined;
  const failure = asFailure(error);
  useEffect(() => {
    if (failure.isOutage && !isAway && failure.code === 'unreachable') void router.invalidate();
  }, [failure, isAway, router]);
  return (
    <>
      <Banners />
      <main className={css.alone}>
        <h1>This page could not be opened</h1>
        <Trouble failure={failure} onRetry={() => void router.invalidate()} />
      </main>
    </>
  );
}
