import { useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useCall } from '../api/queries.ts';
import type { Key } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { Page, Panel } from '../shell/page.tsx';
import { Button } from '../ui/controls/button.tsx';
import { countedText } from '../ui/data/count.ts';
import { Empty } from '../ui/data/empty.tsx';
import { Loaded } from '../ui/data/loaded.tsx';
import { CreateKeyDialog } from './create-key.tsx';
import { EditKeyDialog } from './edit-key.tsx';
import { KeyList } from './key-list.tsx';
import { hasEnded, type KeyAct } from './key-state.ts';
import { type MadeKey, MadeKeyDialog } from './made-key.tsx';
import { RevokeKeyDialog } from './revoke-key.tsx';
import css from './keys.module.css';
import { RotateKeyDialog } from './rotate-dialog.tsx';

export function KeysPage() {
  const org = useOrg();
  const keys = useCall('listKeys', {});
  const [chosen, setChosen] = useState<{ act: 'create' } | { act: KeyAct; key: Key }>();
  // The other dialogs close when their requests end, even late, which must not close the dialog of a new key.
  const [made, setMade] = useState<MadeKey>();
  const create = () => setChosen({ act: 'create' });
  const done = () => setChosen(undefined);
  const show = (key: MadeKey) => {
    done();
    setMade(key);
  };
  return (
    <Page
      title="API keys"
      intro={`Programs use API keys to access ${org.name}. Each key is shown once, when you create it.`}
      actions={
        <Button variant="primary" shortcut="c" onClick={create}>
          Create key
        </Button>
      }
    >
      <Loaded query={keys}>
        {({ data }) => <Keys keys={data} onAct={(act, key) => setChosen({ act, key })} onCreate={create} />}
      </Loaded>
      {chosen?.act === 'create' && <CreateKeyDialog onClose={done} onMade={show} />}
      {chosen?.act === 'edit' && <EditKeyDialog apiKey={chosen.key} onClose={done} />}
      {chosen?.act === 'rotate' && <RotateKeyDialog apiKey={chosen.key} onClose={done} onMade={show} />}
      {chosen?.act === 'revoke' && <RevokeKeyDialog apiKey={chosen.key} onClose={done} />}
      {made && <MadeKeyDialog made={made} onDone={() => setMade(undefined)} />}
    </Page>
  );
}

interface KeysProps {
  keys: readonly Key[];
  onAct: (act: KeyAct, key: Key) => void;
  onCreate: () => void;
}

function Keys({ keys, onAct, onCreate }: KeysProps) {
  const { id: marked } = useSearch({ from: '/signed-in/o/$org/settings/keys' });
  const list = useRef<HTMLDivElement>(null);
  // Returns nothing: in newer browsers scrollIntoView returns a promise, which React would call as a clean-up.
  useEffect(() => {
    list.current!.querySelector('tr[aria-current]')?.scrollIntoView({ block: 'center' });
  }, [marked]);
  const now = Date.now();
  const live = keys.filter((key) => !hasEnded(key, now));
  const ended = keys.filter((key) => hasEnded(key, now));
  return (
    <div className={css.lists} ref={list}>
      <Panel>
        {live.length > 0 ? (
          <KeyList label="Keys" keys={live} marked={marked} onAct={onAct} />
        ) : (
          <Empty title="No API keys yet">
            <p>Create a key for each program. The program sends it in the header X-Api-Key.</p>
            <Button variant="primary" onClick={onCreate}>
              Create the first key
            </Button>
          </Empty>
        )}
      </Panel>
      {ended.length > 0 && (
        <details className={css.ended} open={ended.some(({ id }) => id === marked)}>
          <summary>{countedText(ended.length, 'inactive key')}</summary>
          <Panel>
            <KeyList label="Inactive keys" keys={ended} marked={marked} />
          </Panel>
        </details>
      )}
    </div>
  );
}
