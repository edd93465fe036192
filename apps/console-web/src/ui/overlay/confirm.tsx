import { type ReactNode, useState } from 'react';
import { Button } from '../controls/button.tsx';
import { Form } from '../controls/form.tsx';
import { TextField } from '../controls/field.tsx';
import { Dialog } from './dialog.tsx';
import css from './overlay.module.css';

interface ConfirmProps {
  onClose: () => void;
  title: string;
  children: ReactNode;
  /** Text to type before the button works, for actions that cannot be undone. */
  word?: string;
  act: string;
  /** The name of the button that leaves everything as it is. */
  stay?: string;
  onConfirm: () => Promise<unknown>;
}

/** Asks before an act that cannot be taken back. */
export function Confirm({ onClose, title, children, word, act, stay = 'Cancel', onConfirm }: ConfirmProps) {
  const [typed, setTyped] = useState('');
  return (
    <Dialog isOpen onClose={onClose} title={title} isAlert>
      <Form isThrowaway send={onConfirm} onDone={onClose}>
        {(isBusy) => (
          <>
            {children}
            {word && (
              <TextField
                name="confirmation"
                label={`Type ${word} to confirm`}
                value={typed}
                onChange={(event) => setTyped(event.target.value)}
              />
            )}
            <div className={css.actions}>
              <Button onClick={onClose}>{stay}</Button>
              <Button type="submit" look="danger" isBusy={isBusy} disabled={word !== undefined && typed !== word}>
                {act}
              </Button>
            </div>
          </>
        )}
      </Form>
    </Dialog>
  );
}
