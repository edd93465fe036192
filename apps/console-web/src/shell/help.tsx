import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { areShortcutsOn, listShortcuts } from '../ui/shortcuts.ts';
import { Dialog } from '../ui/overlay/dialog.tsx';
import css from './palette.module.css';

export default function Help({ onClose }: { onClose: () => void }) {
  const [acts] = useState(() => listShortcuts().toSorted((one, other) => one.keys.localeCompare(other.keys)));
  return (
    <Dialog onClose={onClose} title="Keyboard shortcuts on this page">
      <dl className={css.keys}>
        <Row keys="Ctrl K" name="Search and commands" />
        {acts.map(({ keys, name }) => (
          <Row key={keys} keys={keys} name={name} />
        ))}
      </dl>
      <p>
        {areShortcutsOn() ? 'Single-key shortcuts do nothing while you type.' : 'Single-key shortcuts are disabled.'}{' '}
        <Link to="/me" onClick={onClose}>
          Turn single-key shortcuts on or off in your account
        </Link>
      </p>
    </Dialog>
  );
}

function Row({ keys, name }: { keys: string; name: string }) {
  return (
    <div>
      <dt>
        {keys.split(' ').map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{name}</dd>
    </div>
  );
}
