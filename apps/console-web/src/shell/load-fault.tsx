import { useRouter } from '@tanstack/react-router';
import { use, useEffect, useState } from 'react';
import { useOutage } from '../api/connection.ts';
import { asFailure } from '../api/failure.ts';
import { Trouble } from '../ui/data/trouble.tsx';
import { Banners } from './banners.tsx';
import { reloadForRelease } from './lazy-page.tsx';
import { Alone, InFrame } from './page.tsx';

/** A page that could not be opened; where the service was away it opens by itself once that is back. */
export function LoadFault({ error }: { error: unknown }) {
  const router = useRouter();
  const isAway = useOutage() !== undefined;
  // A component that is mounted again while the page is reopened must not reopen it once more.
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
        <Trouble failure={failure} onRetry={() => void router.invalidate()} />
      </Alone>
    </>
  );
}
