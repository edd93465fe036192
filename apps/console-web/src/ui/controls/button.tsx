import { Download } from 'lucide-react';
import { type ButtonHTMLAttributes, type ReactNode, type Ref, useRef } from 'react';
import { useShortcut } from '../shortcuts.ts';
import css from './controls.module.css';

export interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className' | 'style'> {
  variant?: 'primary' | 'plain' | 'quiet' | 'danger' | 'link';
  /** A key that clicks the button from anywhere on the page except fields. The button's children must then be text. */
  shortcut?: string;
  /** True while the action is in progress: the button keeps its width and focus, and ignores a second click. */
  isBusy?: boolean;
  icon?: ReactNode;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({ variant = 'plain', shortcut, isBusy, icon, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={variant === 'plain' ? css.button : `${css.button} ${css[variant]}`}
      aria-busy={isBusy || undefined}
      aria-keyshortcuts={shortcut}
      onClick={isBusy ? (event) => event.preventDefault() : rest.onClick}
    >
      {icon}
      {children}
      {shortcut && typeof children === 'string' && <Key keys={shortcut} name={children} />}
    </button>
  );
}

/** A button that saves the response of an operation as a file; `addressIn` returns the `address`. */
export function DownloadLink({ address, children }: { address: string; children: ReactNode }) {
  return (
    <a href={address} download className={css.button}>
      <Download size={14} aria-hidden />
      {children}
    </a>
  );
}

export function IconButton({ label, children, ...rest }: Omit<ButtonProps, 'variant'> & { label: string }) {
  return (
    <button type="button" {...rest} className={css.iconButton} aria-label={label} title={label}>
      {children}
    </button>
  );
}

/** Assigns a key to the surrounding button; `?` lists it under the button's text. */
function Key({ keys, name }: { keys: string; name: string }) {
  const key = useRef<HTMLElement>(null);
  useShortcut(keys, name, () => key.current?.closest('button')?.click());
  return (
    <kbd ref={key} className={css.key} aria-hidden>
      {keys}
    </kbd>
  );
}
