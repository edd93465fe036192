import { type ReactNode, useState } from 'react';
import { Button } from '../controls/button.tsx';
import { Form, SubmitButton } from '../controls/form.tsx';
import { TextField } from '../controls/field.tsx';
import { Dialog } from './dialog.tsx';
import css from './overlay.module.css';

interface ConfirmFormProps {
  onClose: () => void;
  children: ReactNode;
  /** Text to type before the button works, for actions that cannot be undone. */
  word?: string | undefined;
  act: string;
  /** False while the effect of the action is unknown; the button is then disabled. */
  isReady?: boolean;
  variant?: 'primary' | 'danger';
  /** Label of the button that cancels. */
  stay?: string;
  onConfirm: () => Promise<unknown>;
}

export function Confirm({ title, ...rest }: ConfirmFormProps & { title: string }) {
  return (
    <Dialog onClose={rest.onClose} title={title} isAlert>
      <ConfirmForm {...rest} onConfirm={() => rest.onConfirm().then(rest.onClose)} />
    </Dialog>
  );
}

export function ConfirmForm(props: ConfirmFormProps) {
  const { onClose, children, word, act, isReady = true, variant = 'danger', stay = 'Cancel', onConfirm } = props;
  const [typed, setTyped] = useState('');
  return (
    <Form isThrowaway send={onConfirm}>
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
        <SubmitButton variant={variant} disabled={!isReady || (word !== undefined && typed.trim() !== word)}>
          {act}
        </SubmitButton>
      </div>
    </Form>
  );
}
