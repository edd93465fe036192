import { useRef, useState } from 'react';
import { hasUnsavedForm } from '../unsaved.ts';
import { type DialogProps, Frame } from './dialog-frame.tsx';
import Discard from './discard.tsx';
import { CloseDialog } from '../controls/form.tsx';

/** A dialog that asks before it is closed with unsaved input. */
export function Dialog({ onClose, children, ...rest }: DialogProps) {
  const popup = useRef<HTMLDivElement>(null);
  const [isAsking, setAsking] = useState(false);
  const close = onClose && (() => (hasUnsavedForm(popup.current) ? setAsking(true) : onClose()));
  return (
    <Frame {...rest} {...(close && { onClose: close })} popup={popup}>
      <CloseDialog value={close}>{children}</CloseDialog>
      {isAsking && <Discard onStay={() => setAsking(false)} onDiscard={() => onClose?.()} />}
    </Frame>
  );
}
