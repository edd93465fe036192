import { call } from '../api/client.ts';
import { refresh } from '../api/queries.ts';
import type { Key } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { Terminal } from '../ui/controls/copy.tsx';
import { relata } from '../ui/controls/shell-command.ts';
import { Hint } from '../ui/data/trouble.tsx';
import { Confirm } from '../ui/overlay/confirm.tsx';
import { notify } from '../ui/overlay/notices.tsx';
import { shortKey } from './key-state.ts';

export function RevokeKeyDialog({ of, onClose }: { of: Key; onClose: () => void }) {
  const org = useOrg();
  const revoke = async () => {
    await call('revokeKey', { params: { org: org.id, id: of.id } });
    await refresh('listKeys');
    notify(`${of.name} is revoked.`);
  };
  return (
    <Confirm title={`Revoke ${of.name}`} word={of.last_four} act="Revoke key" onConfirm={revoke} onClose={onClose}>
      <p>
        Whatever uses <code>{shortKey(of)}</code> is answered with 401 at once. This cannot be taken back.
      </p>
      {of.triggers.length > 0 && <Opened triggers={of.triggers} />}
      <Terminal command={relata('keys', 'revoke', of.id)} />
    </Confirm>
  );
}

function Opened({ triggers }: Pick<Key, 'triggers'>) {
  return (
    <Hint>
      <p>
        {triggers.length === 1
          ? 'It opens this trigger, which then refuses every delivery:'
          : 'It opens these triggers, which then refuse every delivery:'}
      </p>
      <ul>
        {triggers.map(({ id, name }) => (
          <li key={id}>{name}</li>
        ))}
      </ul>
    </Hint>
  );
}
