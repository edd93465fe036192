import { useBlocker } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { isAnythingUnsaved, isUnsavedLostBetween } from '../ui/unsaved.ts';

export const loadDiscard = () => import('../ui/overlay/discard.tsx');
const Discard = lazy(loadDiscard);

/** Asks before a link, a key, Back or closing the tab discards input. Dialogs ask when they are closed. */
export function LeaveGuard() {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isUnsavedLostBetween(current, next),
    enableBeforeUnload: isAnythingUnsaved,
    withResolver: true,
  });
  return <Suspense>{status === 'blocked' && <Discard onStay={reset} onDiscard={proceed} />}</Suspense>;
}
