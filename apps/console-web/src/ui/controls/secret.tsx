import { useBlocker } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { notify } from '../overlay/notices.tsx';
import { Button } from './button.tsx';
import css from './controls.module.css';
import { CopyButton } from './copy.tsx';
import { Checkbox } from './field.tsx';

interface SecretProps {
  secret: string;
  what: string;
  /** True if the server keeps the secret, encrypted, to check signatures. */
  isKept?: boolean;
  /** True if the secret was copied elsewhere on the page. */
  isCopied?: boolean | undefined;
  onStored: (isStored: boolean) => void;
}

/** Shows a secret that is never shown again. No link, storage or history contains it. The text can be selected. */
export function Secret({ secret, what, isKept, isCopied: isCopiedElsewhere, onStored }: SecretProps) {
  const [isTicked, setTicked] = useState(false);
  const [isCopied, setCopied] = useState(false);
  const shown = useRef<HTMLElement>(null);
  // Blocks links, Back and reloads until the secret is copied or confirmed as stored.
  useBlocker({
    shouldBlockFn: () => {
      notify(`First copy the ${what} or confirm that you have stored it.`, { isDone: false });
      shown.current?.focus();
      return true;
    },
    disabled: isCopied || isTicked || isCopiedElsewhere,
  });
  const update = (copied: boolean, ticked: boolean) => {
    setCopied(copied);
    setTicked(ticked);
    onStored(copied || ticked);
  };
  return (
    <>
      <div className={css.secret}>
        <code ref={shown} aria-label={what} role="textbox" aria-readonly tabIndex={0} data-secret>
          {secret}
        </code>
        <CopyButton text={secret} onCopied={() => update(true, isTicked)} />
      </div>
      <p className={css.hint}>
        Copy the {what} now: it is not shown again.{' '}
        {isKept ? 'Relata stores it encrypted.' : 'Relata stores only a hash of it.'}
      </p>
      <Checkbox checked={isTicked} onChange={(event) => update(isCopied, event.target.checked)}>
        I have stored it
      </Checkbox>
    </>
  );
}

/** Closes the view of a secret that has been copied or stored. */
export function DoneButton({ isStored, onDone }: { isStored: boolean; onDone: () => void }) {
  return (
    <>
      <span className={css.hint} role="status">
        {isStored ? '' : 'First copy it or confirm that you have stored it.'}
      </span>
      <Button variant="primary" disabled={!isStored} onClick={onDone}>
        Done
      </Button>
    </>
  );
}
