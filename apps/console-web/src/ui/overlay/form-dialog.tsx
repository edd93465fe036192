import { type ReactNode, useState } from 'react';
import { refresh } from '../../api/queries.ts';
import type { OperationId } from '../../api/types.ts';
import { CliCommand } from '../controls/copy.tsx';
import { Form, FormActions } from '../controls/form.tsx';
import { Dialog } from './dialog.tsx';

interface FormDialogProps<Output> {
  title: string;
  act: string;
  /** Returns the equivalent CLI command, with the current values of the fields. */
  command: (data: FormData) => string;
  send: (data: FormData) => Promise<Output>;
  /** Operations whose results must be fetched again. */
  refreshes: readonly OperationId[];
  onClose: () => void;
  /** Called instead of closing the dialog. */
  onDone?: (output: Output) => void;
  intro?: ReactNode;
  isAlert?: boolean;
  /** A search parameter whose change removes the dialog from the page. */
  lostWith?: string | undefined;
  children?: ReactNode | ((data: FormData) => ReactNode);
}

export function FormDialog<Output>({ title, isAlert, onClose, intro, children, ...form }: FormDialogProps<Output>) {
  const { act, command, send, refreshes, lostWith, onDone = onClose } = form;
  const [data, setData] = useState(() => new FormData());
  return (
    <Dialog onClose={onClose} title={title} isAlert={isAlert}>
      {intro}
      <Form
        send={send}
        onDone={(output) => {
          void refresh(...refreshes);
          onDone(output);
        }}
        onInput={setData}
        lostWith={lostWith}
      >
        {typeof children === 'function' ? children(data) : children}
        <FormActions act={act} />
        <CliCommand command={command(data)} />
      </Form>
    </Dialog>
  );
}
