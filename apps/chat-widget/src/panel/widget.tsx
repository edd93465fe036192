import type { TargetedKeyboardEvent } from 'preact';
import { useRef } from 'preact/hooks';
import { Dialog } from './dialog.tsx';
import { icons } from './icons.tsx';
import { Panel, type PanelProps } from './panel.tsx';
import { typedKeys } from './typed-keys.ts';

interface WidgetProps extends Omit<PanelProps, 'input' | 'onClose'> {
  isOpen: boolean;
  onOpen: () => void;
  onClose: () => void;
}

/** Shows the whole content of the shadow root. */
export function Widget({ isOpen, onOpen, onClose, ...panel }: WidgetProps) {
  const { mode, name } = panel.settings;
  const input = useRef<HTMLTextAreaElement>(null);
  if (mode === 'launcher') return <Corner {...panel} {...{ isOpen, onOpen, onClose }} />;
  return (
    <section class="panel inline" part="panel" aria-label={name} {...typedKeys}>
      <Panel {...panel} input={input} />
    </section>
  );
}

/** Shows the launcher in a corner of the page, and the dialog that it opens. */
function Corner({ isOpen, onOpen, onClose, ...panel }: WidgetProps) {
  const { name, position } = panel.settings;
  const input = useRef<HTMLTextAreaElement>(null);
  const launcher = useRef<HTMLButtonElement>(null);
  // Drawing a long conversation takes time, which only visitors who open the panel should spend. Closing it keeps what
  // they have typed.
  const wasOpened = useRef(false);
  wasOpened.current ||= isOpen;
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>) => {
    typedKeys.onKeyDown(event);
    if (event.key !== 'Escape' || event.isComposing || !isOpen) return;
    event.preventDefault();
    event.stopPropagation();
    onClose();
  };
  return (
    <aside class={`corner ${position}`} aria-label={name} {...typedKeys} onKeyDown={onKeyDown}>
      <Dialog {...{ name, isOpen, onClose, input, launcher }}>
        {wasOpened.current && <Panel {...panel} input={input} onClose={onClose} />}
      </Dialog>
      <button
        type="button"
        class={`launcher ${isOpen ? 'open' : ''}`}
        part="launcher"
        ref={launcher}
        aria-label={isOpen ? `Close: ${name}` : name}
        aria-expanded={isOpen}
        aria-controls="panel"
        onClick={isOpen ? onClose : onOpen}
      >
        {isOpen ? icons.down : icons.chat}
      </button>
    </aside>
  );
}
