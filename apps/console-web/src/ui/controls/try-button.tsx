import { type ReactNode, useState } from 'react';
import { type ApiFailure, asFailure } from '../../api/failure.ts';
import { Button, type ButtonProps } from './button.tsx';
import css from './controls.module.css';
import { useAct } from '../acts.ts';

interface TryButtonProps extends Pick<ButtonProps, 'look' | 'shortcut' | 'disabled' | 'icon'> {
  run: () => Promise<unknown>;
  children: ReactNode;
  /** Its name if several are in a list. */
  label?: string;
}

/**
 * A button for an action without a form. If the action fails, the reason is shown beside it until it is tried again.
 */
export function TryButton({ run, children, label, ...rest }: TryButtonProps) {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<ApiFailure>();
  const tryIt = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      await run();
    } catch (error) {
      setFailure(asFailure(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <span className={css.try}>
      <Button {...rest} aria-label={label} isBusy={isBusy} onClick={() => void tryIt()}>
        {children}
      </Button>
      <span className={css.fault} role="alert">
        {failure?.message}
      </span>
    </span>
  );
}

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
