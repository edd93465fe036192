import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { ReactNode, Ref, RefObject } from 'react';
import { useFocusReturn } from './focus-return.ts';
import css from './overlay.module.css';

export interface DialogProps {
  isOpen: boolean;
  /** Called on Escape, a click outside or the cross. Without it, only a button in the dialog closes it. */
  onClose?: () => void;
  title: string;
  children: ReactNode;
  /** Buttons at the end of the dialog. */
  actions?: ReactNode;
  isAlert?: boolean;
  isWide?: boolean;
  initialFocus?: RefObject<HTMLElement | null>;
}

/** A dialog that closes without a question. */
export function Frame(props: DialogProps & { popup?: Ref<HTMLDivElement> }) {
  const { isOpen, onClose, title, children, actions, isAlert, isWide, initialFocus, popup } = props;
  useFocusReturn();
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose?.()} disablePointerDismissal={!onClose}>
      <Base.Portal>
        <Base.Backdrop className={css.backdrop} />
        <Base.Viewport className={css.viewport}>
          <Base.Popup
            ref={popup}
            className={`${css.dialog} ${isWide ? css.wide : ''}`}
            role={isAlert ? 'alertdialog' : 'dialog'}
            initialFocus={initialFocus}
          >
            <header className={css.head}>
              <Base.Title className={css.title}>{title}</Base.Title>
              {onClose && (
                <Base.Close className={css.cross} aria-label="Close">
                  <X size={16} aria-hidden />
                </Base.Close>
              )}
            </header>
            <div className={css.body}>{children}</div>
            {actions && <footer className={css.foot}>{actions}</footer>}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}
