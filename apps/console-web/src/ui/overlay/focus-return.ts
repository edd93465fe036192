import { useEffect } from 'react';

const overlays = '[role=dialog], [role=alertdialog], [role=menu]';

/** The element of the page that had the focus before a dialog opened. */
let outside: HTMLElement | undefined;

document.addEventListener('focusin', ({ target }) => {
  if (target instanceof HTMLElement && !target.closest(overlays)) outside = target;
});

/**
 * Gives the focus back when what lies above the page is gone, also where it was opened by another such, which is gone too:
 * to what had it before, or to the page where that is gone.
 */
export function useFocusReturn(): void {
  useEffect(() => () => void setTimeout(giveBack), []);
}

function giveBack(): void {
  if (document.activeElement !== document.body || document.querySelector(overlays)) return;
  const target = outside?.isConnected ? outside : document.getElementById('page');
  target?.focus({ preventScroll: true });
}
