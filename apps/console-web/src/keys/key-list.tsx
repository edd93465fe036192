import { useNavigate } from '@tanstack/react-router';
import { Fragment, useState } from 'react';
import type { Key } from '../api/types.ts';
import { OrgLink, useOrg } from '../shell/org.ts';
import { TriggerLink } from '../triggers/trigger-link.tsx';
import { countText } from '../ui/data/count.ts';
import { DataList, rowId } from '../ui/data/data-list.tsx';
import { State } from '../ui/data/state.tsx';
import { RelativeTime } from '../ui/data/time.tsx';
import { ActionsMenu } from '../ui/overlay/actions-menu.tsx';
import { authorName } from '../audit/author.ts';
import { isUnused, type KeyAct, shortKey } from './key-state.ts';
import css from './keys.module.css';

interface KeyListProps {
  label: string;
  keys: readonly Key[];
  marked?: string | undefined;
  /** Undefined for inactive keys, which allow no actions. */
  onAct?: (act: KeyAct, key: Key) => void;
}

export function KeyList({ label, keys, marked, onAct }: KeyListProps) {
  return (
    <DataList
      label={label}
      rows={keys}
      keyOf={rowId}
      isDimmed={() => !onAct}
      isCurrent={({ id }) => id === marked}
      columns={[
        { head: 'Name', cell: ({ name }) => <span className={css.name}>{name}</span> },
        { head: 'Key', isNarrow: true, cell: (key) => <code>{shortKey(key)}</code> },
        { head: 'Permissions', cell: (key) => <Permissions {...key} /> },
        { head: 'Last used', isNarrow: true, cell: (key) => <LastUse {...key} /> },
        { head: onAct ? 'Expires' : 'Status', isNarrow: true, cell: (key) => <End {...key} /> },
        { head: 'Created by', cell: ({ made_by }) => made_by && authorName(made_by) },
        ...(onAct
          ? [{ head: 'Actions', isNarrow: true, cell: (key: Key) => <Acts apiKey={key} onAct={onAct} /> }]
          : []),
      ]}
    />
  );
}

function Permissions({ scopes, origins, triggers }: Key) {
  return (
    <>
      {scopes.join(', ')}
      {origins.map((origin) => ` · ${origin}`)}
      {triggers.length > 0 && (
        <>
          {' · for '}
          <Opened triggers={triggers} />
        </>
      )}
    </>
  );
}

const namedMax = 3;

/** The triggers that stop working when the key expires. */
function Opened({ triggers }: Pick<Key, 'triggers'>) {
  const others = triggers.length - namedMax;
  return (
    <>
      {triggers.slice(0, namedMax).map(({ id, name }, at) => (
        <Fragment key={id}>
          {at > 0 && ', '}
          <TriggerLink id={id}>{name}</TriggerLink>
        </Fragment>
      ))}
      {others > 0 && (
        <>
          {' and '}
          <OrgLink to="/o/$org/triggers">{countText(others)} more</OrgLink>
        </>
      )}
    </>
  );
}

function LastUse(key: Key) {
  const [now] = useState(Date.now);
  if (isUnused(key, now)) return <State tone="warn">{key.last_used_at ? 'Unused for 30 days' : 'Never used'}</State>;
  return key.last_used_at ? <RelativeTime time={key.last_used_at} /> : 'Never';
}

function End({ revoked_at, expires_at }: Key) {
  if (revoked_at)
    return (
      <>
        Revoked <RelativeTime time={revoked_at} />
      </>
    );
  return expires_at ? <RelativeTime time={expires_at} /> : 'Never';
}

function Acts({ apiKey, onAct }: { apiKey: Key; onAct: (act: KeyAct, key: Key) => void }) {
  const { id: org } = useOrg();
  const navigate = useNavigate();
  const item = (name: string, act: KeyAct) => ({ name, run: () => onAct(act, apiKey) });
  const showChanges = {
    name: 'View activity',
    run: () => void navigate({ to: '/o/$org/settings/audit', params: { org }, search: { actor: apiKey.id } }),
  };
  const edit = item(apiKey.kind === 'publishable' ? 'Edit' : 'Rename', 'edit');
  const items = [edit, item('Rotate', 'rotate'), item('Revoke', 'revoke'), showChanges];
  return <ActionsMenu name={apiKey.name} items={items} />;
}
