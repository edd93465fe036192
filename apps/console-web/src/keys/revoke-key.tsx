import { refresh } from '../api/queries.ts';
import type { Key } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { CliCommand } from '../ui/controls/copy.tsx';
import { relata } from '../ui/controls/shell-command.ts';
import { Hint } from '../ui/data/error-alert.tsx';
import { Confirm } from '../ui/overlay/confirm.tsx';
import { notify } from '../ui/overlay/notices.tsx';
import { shortKey } from './key-state.ts';

export function RevokeKeyDialog({ apiKey, onClose }: { apiKey: Key; onClose: () => void }) {
  const { call } = useOrg();
  const { id, name, triggers } = apiKey;
  const revoke = async () => {
    await call('revokeKey', { params: { id } });
    await refresh('listKeys');
    notify(`${name} revoked.`);
  };
  return (
    <Confirm title={`Revoke ${name}?`} word={apiKey.last_four} act="Revoke key" onConfirm={revoke} onClose={onClose}>
      <p>
        Requests with <code>{shortKey(apiKey)}</code> get 401 immediately. This cannot be undone.
      </p>
      {triggers.length > 0 && <Opened triggers={triggers} />}
      <CliCommand command={relata('keys', 'revoke', id)} />
    </Confirm>
  );
}

function Opened({ triggers }: Pick<Key, 'triggers'>) {
  return (
    <Hint>
      <p>
        {triggers.length === 1
          ? 'This trigger uses the key and will refuse every request:'
          : 'These triggers use the key and will refuse every request:'}
      </p>
      <ul>
        {triggers.map(({ id, name }) => (
          <li key={id}>{name}</li>
        ))}
      </ul>
    </Hint>
  );
}
