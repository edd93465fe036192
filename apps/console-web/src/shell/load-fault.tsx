import { useRouter } from '@tanstack/react-router';
import { use, useEffect, useState } from 'react';
import { useOutage } from '../api/connection.ts';
import { asFailure } from '../api/failure.ts';
import { ErrorAlert } from '../ui/data/error-alert.tsx';
import { Banners } from './banners.tsx';
import { reloadForRelease } from './lazy-page.tsx';
import { Alone, InFrame } from './page.tsx';

/** Shown for a page that could not be opened. After an outage the page opens by itself. */
export function LoadFault({ error }: { error: unknown }) {
  const router = useRouter();
  const isAway = useOutage() !== undefined;
  // Remembers whether there was an outage at mount time. A component that mounts while the page reopens must not reopen
  // it again.
  const [wasAway] = useState(isAway);
  const isFramed = use(InFrame);
  useEffect(() => reloadForRelease(error), [error]);
  const failure = asFailure(error);
  const isBack = failure.isOutage && wasAway && !isAway;
  useEffect(() => {
    if (isBack) void router.invalidate();
  }, [isBack, router]);
  return (
    <>
      {!isFramed && <Banners />}
      <Alone>
        <h1>Could not open this page</h1>
        <ErrorAlert failure={failure} onRetry={() => void router.invalidate()} />
      </Alone>
    </>
  );
}
