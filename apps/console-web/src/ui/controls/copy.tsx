import { Check, Copy as CopyIcon, Link } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useShortcut } from '../shortcuts.ts';
import { notify } from '../overlay/notices.tsx';
import { Button, IconButton } from './button.tsx';
import css from './controls.module.css';

const shownMs = 2_000;

/** Returns a function that copies a text, and the outcome. Browsers refuse over plain HTTP, except on localhost. */
function useCopy(text: string, onCopied?: () => void) {
  const [state, setState] = useState<'copied' | 'refused'>();
  useEffect(() => {
    const timer = state && setTimeout(() => setState(undefined), shownMs);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = () =>
    void writeText(text).then((isCopied) => {
      setState(isCopied ? 'copied' : 'refused');
      if (isCopied) onCopied?.();
    });
  return { state, copy, Icon: state === 'copied' ? Check : CopyIcon };
}

async function writeText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Copies a text for a shortcut. A notice shows the outcome, because no button can. */
async function copyAndSay(text: string, said: string): Promise<void> {
  if (await writeText(text)) notify(said);
  else notify('Could not copy: the browser blocked access to the clipboard.', { isDone: false });
}

const words = { copied: 'Copied', refused: 'Copy failed: select the text' };

interface CopyButtonProps {
  text: string;
  label?: string;
  onCopied?: () => void;
}

export function CopyButton({ text, label = 'Copy', onCopied }: CopyButtonProps) {
  const { state, copy, Icon } = useCopy(text, onCopied);
  return (
    <Button onClick={copy} icon={<Icon size={14} aria-hidden />}>
      <span aria-live="polite">{state ? words[state] : label}</span>
    </Button>
  );
}

/** The first characters of an id, with a button that copies all of it. */
export function Id({ id, chars = 8 }: { id: string; chars?: number }) {
  return <Copied text={id} shown={id.slice(0, chars)} />;
}

const longFrom = 40;

/** A text or a short form of it, with a button that copies all of it. */
export function Copied({ text, shown = text }: { text: string; shown?: string }) {
  const { state, copy, Icon } = useCopy(text);
  return (
    <span className={css.copied} data-long={shown.length > longFrom || undefined}>
      <code title={text}>{shown}</code>
      <IconButton label={state ? words[state] : `Copy ${text}`} onClick={copy}>
        <Icon size={12} aria-hidden />
      </IconButton>
    </span>
  );
}

/** A command for a terminal, with a button that copies it. Long lines wrap, so that their end is visible. */
export function ShellCommand({ children, label }: { children: string; label?: string }) {
  return (
    <figure className={css.command}>
      {label && <figcaption>{label}</figcaption>}
      <pre tabIndex={0}>{children}</pre>
      <CopyButton text={children} />
    </figure>
  );
}

/** The `relata` command for an action. If a page has several commands, the shortcut copies the last. */
export function CliCommand({ command }: { command: string }) {
  useShortcut('Shift Y', 'Copy CLI command', () => void copyAndSay(command, `Copied: ${beginOf(command)}`));
  return (
    <details className={css.terminal}>
      <summary aria-keyshortcuts="Shift+Y">CLI command</summary>
      <ShellCommand>{command}</ShellCommand>
    </details>
  );
}

const saidCharacters = 80;

const beginOf = (command: string) =>
  command.length > saidCharacters ? `${command.slice(0, saidCharacters)}…` : command;

export function CopyLink() {
  const copy = () => void copyAndSay(location.href, 'Link copied.');
  useShortcut('y', 'Copy link', copy);
  return (
    <IconButton label="Copy link" aria-keyshortcuts="y" onClick={copy}>
      <Link size={14} aria-hidden />
    </IconButton>
  );
}
