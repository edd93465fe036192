import { Download } from 'lucide-react';
import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { useAct } from '../acts.ts';
import css from './controls.module.css';

export interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className' | 'style'> {
  look?: 'primary' | 'plain' | 'quiet' | 'danger' | 'link';
  /** A single key that does the same, anywhere on the page but in fields. */
  shortcut?: string;
  /** True while its action is in progress: the button keeps its width and focus, and ignores a second click. */
  isBusy?: boolean;
  icon?: ReactNode;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({ look = 'plain', shortcut, isBusy, icon, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={`${css.button} ${css[look]}`}
      aria-busy={isBusy || undefined}
      aria-keyshortcuts={shortcut}
      onClick={isBusy ? (event) => event.preventDefault() : rest.onClick}
    >
      {icon}
      {children}
      {shortcut && <Key of={shortcut} />}
    </button>
  );
}

/** A button with a key of its own, which `?` lists under the same name. */
export function ActButton({
  name,
  onAct,
  shortcut,
  ...rest
}: Omit<ButtonProps, 'onClick'> & { name: string; onAct: () => void; shortcut: string }) {
  useAct(shortcut, name, onAct);
  return (
    <Button {...rest} shortcut={shortcut} onClick={onAct}>
      {name}
    </Button>
  );
}

/** Saves the answer of an operation as a file; `address` is made by `addressIn`. */
export function DownloadLink({ address, children }: { address: string; children: ReactNode }) {
  return (
    <a href={address} download className={`${css.button} ${css.plain}`}>
      <Download size={14} aria-hidden />
      {children}
    </a>
  );
}

export function IconButton({ label, children, ...rest }: Omit<ButtonProps, 'look'> & { label: string }) {
  return (
    <button type="button" {...rest} className={css.iconButton} aria-label={label} title={label}>
      {children}
    </button>
  );
}

function Key({ of }: { of: string }) {
  return (
    <kbd className={css.key} aria-hidden>
      {of}
    </kbd>
  );
}
