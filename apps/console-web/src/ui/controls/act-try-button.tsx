import { useAct } from '../acts.ts';
import { TryButton, type TryButtonProps } from './try-button.tsx';

/** A `TryButton` with a key of its own, which `?` lists under the same name. */
export function ActTryButton({
  name,
  run,
  shortcut,
  ...rest
}: Omit<TryButtonProps, 'children'> & { name: string; shortcut: string }) {
  useAct(shortcut, name, () => document.querySelector<HTMLElement>(`[aria-keyshortcuts="${shortcut}"]`)?.click());
  return (
    <TryButton {...rest} shortcut={shortcut} run={run}>
      {name}
    </TryButton>
  );
}
