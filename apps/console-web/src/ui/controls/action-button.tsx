import type { ReactNode } from 'react';
import { useAction } from '../../api/use-action.ts';
import { Button, type ButtonProps } from './button.tsx';
import css from './controls.module.css';

interface ActionButtonProps extends Pick<ButtonProps, 'variant' | 'shortcut' | 'disabled' | 'icon'> {
  run: () => Promise<unknown>;
  children: ReactNode;
  /** Accessible name, for one of several buttons in a list. */
  label?: string;
}

/** A button for an action without a form. If the action fails, the reason is shown beside it until the next attempt. */
export function ActionButton({ run, children, label, ...rest }: ActionButtonProps) {
  const { isBusy, failure, attempt } = useAction(run);
  return (
    <span className={css.try}>
      <Button {...rest} aria-label={label} isBusy={isBusy} onClick={() => void attempt()}>
        {children}
      </Button>
      <span className={css.fault} role="alert">
        {failure?.message}
      </span>
    </span>
  );
}
