import { icons } from './icons.tsx';

interface HeaderProps {
  name: string;
  /** True if there is a conversation that a new one would replace. */
  hasMessages: boolean;
  isAnswering: boolean;
  onDemo: () => void;
  onRestart: () => void;
  /** Undefined if the panel is part of the page. */
  onClose?: (() => void) | undefined;
}

export function Header({ name, hasMessages, isAnswering, onDemo, onRestart, onClose }: HeaderProps) {
  return (
    <header part="header">
      <h2 dir="auto">{name}</h2>
      <button type="button" class="demo" part="demo-button" disabled={isAnswering} onClick={onDemo}>
        <span>Book a demo</span>
      </button>
      {hasMessages && (
        <button type="button" class="tool" aria-label="New conversation" title="New conversation" onClick={onRestart}>
          {icons.restart}
        </button>
      )}
      {onClose && (
        <button type="button" class="tool" aria-label="Close" title="Close" onClick={onClose}>
          {icons.close}
        </button>
      )}
    </header>
  );
}
