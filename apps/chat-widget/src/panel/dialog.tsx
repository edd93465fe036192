import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Media query for full screen: phones, and windows that are small or strongly zoomed. */
const sheetQuery = '(max-width: 560px), (max-height: 480px)';

interface DialogProps {
  name: string;
  isOpen: boolean;
  onClose: () => void;
  /** Element that gets the focus when the dialog opens, unless a touch keyboard would appear with it. */
  input: RefObject<HTMLElement | null>;
  /** Element that gets the focus when the dialog closes, if the browser restores no other focus. */
  launcher: RefObject<HTMLElement | null>;
  children: ComponentChildren;
}

/**
 * Shows the panel above the page: as a non-modal dialog on a large screen, and as a modal in full screen on a small
 * one.
 */
export function Dialog({ name, isOpen, onClose, input, launcher, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isSheet = useMedia(sheetQuery);
  /**
   * Element in the dialog that had the focus, to restore it when the open dialog changes between modal and non-modal.
   */
  const focused = useRef<HTMLElement | undefined>(undefined);
  useLayoutEffect(() => {
    if (!isOpen) {
      focused.current = undefined;
      return undefined;
    }
    show(dialog.current!, isSheet);
    (focused.current ?? (matchMedia('(pointer: coarse)').matches ? dialog : input).current)?.focus();
    return () => {
      focused.current = focusIn(dialog.current!);
      hide(dialog.current!, launcher.current);
    };
  }, [isOpen, isSheet]);
  return (
    <dialog
      class="panel"
      part="panel"
      id="panel"
      ref={dialog}
      tabIndex={-1}
      aria-label={name}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      {children}
    </dialog>
  );
}

function show(dialog: HTMLDialogElement, isSheet: boolean): void {
  if (isSheet) dialog.showModal();
  else dialog.show();
}

/** Returns the element that has the focus, if it is the dialog or inside it. */
function focusIn(dialog: HTMLDialogElement): HTMLElement | undefined {
  const { activeElement } = dialog.getRootNode() as ShadowRoot;
  return dialog.contains(activeElement) ? (activeElement as HTMLElement) : undefined;
}

/**
 * Closes the dialog. The browser restores the focus itself, except in Safari after a click: Safari does not focus a
 * clicked button, so it has no focus to restore.
 */
function hide(dialog: HTMLDialogElement, launcher: HTMLElement | null): void {
  const hadFocus = dialog.matches(':focus-within');
  dialog.close();
  if (hadFocus && document.activeElement === document.body) launcher?.focus();
}

function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const update = () => setMatches(media.matches);
    media.addEventListener('change', update);
    return () => media.removeEventListener('change', update);
  }, [query]);
  return matches;
}
