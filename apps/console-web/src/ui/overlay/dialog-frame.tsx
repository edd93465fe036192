import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ReactNode, type Ref, useEffect } from 'react';
import css from './overlay.module.css';

export interface DialogProps {
  /** Called on Escape, a click outside or the cross. Without it, only the caller's buttons close the dialog. */
  onClose?: () => void;
  title: string;
  children: ReactNode;
  actions?: ReactNode;
  isAlert?: boolean;
  isWide?: boolean;
}

/** A dialog that closes without asking. */
export function Frame(props: DialogProps & { popup?: Ref<HTMLDivElement> }) {
  const { onClose, title, children, actions, isAlert, isWide, popup } = props;
  useFocusReturn();
  return (
    <Base.Root open onOpenChange={(open) => !open && onClose?.()} disablePointerDismissal={!onClose}>
      <Base.Portal>
        <Base.Backdrop className={css.backdrop} forceRender />
        <Base.Viewport className={css.viewport}>
          <Base.Popup
            ref={popup}
            className={`${css.dialog} ${isWide ? css.wide : ''}`}
            role={isAlert ? 'alertdialog' : 'dialog'}
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

const overlays = '[role=dialog], [role=alertdialog], [role=menu]';

/** The element of the page that had the focus before an overlay opened. */
let outside: HTMLElement | undefined;

document.addEventListener('focusin', ({ target }) => {
  if (target instanceof HTMLElement && !target.closest(overlays)) outside = target;
});

/** Restores the focus after the last overlay closes: to the element that had it before, or to the page. */
function useFocusReturn(): void {
  useEffect(() => () => void setTimeout(giveBack), []);
}

function giveBack(): void {
  if (document.activeElement !== document.body || document.querySelector(overlays)) return;
  const target = outside?.isConnected ? outside : document.getElementById('page');
  target?.focus({ preventScroll: true });
}
