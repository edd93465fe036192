import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { refresh, useCall } from '../api/queries.ts';
import type { Trigger } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { Page, Panel } from '../shell/page.tsx';
import { Button } from '../ui/controls/button.tsx';
import { CopyButton, Id } from '../ui/controls/copy.tsx';
import { TryButton } from '../ui/controls/try-button.tsx';
import { DataList } from '../ui/data/data-list.tsx';
import { Empty } from '../ui/data/empty.tsx';
import { bytesText, Facts } from '../ui/data/facts.tsx';
import { LoadedRecord } from '../ui/data/loaded.tsx';
import { Ago } from '../ui/data/time.tsx';
import { Hint } from '../ui/data/trouble.tsx';
import { Starts } from './starts.tsx';
import { type MadeSecret, MadeSecretDialog } from './made-secret.tsx';
import { RotateSecretDialog } from './rotate-secret.tsx';
import { OnOff, openedBy, useTriggerUrl } from './trigger-state.tsx';

const lookEveryMs = 3_000;

export function TriggerPage() {
  const { org, id } = useParams({ from: '/signed-in/o/$org/triggers/$id' });
  const trigger = useCall('getTrigger', { params: { org, id } });
  return <LoadedRecord query={trigger}>{({ data }) => <TriggerView trigger={data} />}</LoadedRecord>;
}

function TriggerView({ trigger }: { trigger: Trigger }) {
  const org = useOrg();
  const [isRotating, setRotating] = useState(false);
  const [made, setMade] = useState<MadeSecret>();
  const canManage = org.can('manage');
  return (
    <Page title={trigger.name} actions={canManage && <Acts trigger={trigger} onRotate={() => setRotating(true)} />}>
      {!trigger.active && (
        <Hint>
          <p>This trigger is off. Senders are answered with 404, and nothing is kept.</p>
        </Hint>
      )}
      <Panel>
        <TriggerFacts trigger={trigger} />
      </Panel>
      <Panel title="Starts">
        <Starts of={trigger} />
      </Panel>
      {trigger.mode === 'unique' && (
        <Panel title="Secrets">
          <Secrets of={trigger} />
        </Panel>
      )}
      <Panel title="Latest deliveries" actions={<AllDeliveries of={trigger} />}>
        <LatestDeliveries of={trigger} />
      </Panel>
      {isRotating && (
        <RotateSecretDialog
          of={trigger}
          onClose={() => setRotating(false)}
          onMade={(secret) => {
            setRotating(false);
            setMade(secret);
          }}
        />
      )}
      {made && <MadeSecretDialog made={made} onDone={() => setMade(undefined)} />}
    </Page>
  );
}

function Acts({ trigger, onRotate }: { trigger: Trigger; onRotate: () => void }) {
  const org = useOrg();
  const switchIt = async () => {
    await call('updateTrigger', { params: { org: org.id, id: trigger.id }, body: { active: !trigger.active } });
    await refresh('getTrigger', 'listTriggers');
  };
  return (
    <>
      {trigger.mode === 'unique' && <Button onClick={onRotate}>Rotate secret</Button>}
      <TryButton run={switchIt}>{trigger.active ? 'Switch off' : 'Switch on'}</TryButton>
    </>
  );
}

function TriggerFacts({ trigger }: { trigger: Trigger }) {
  const url = useTriggerUrl(trigger.url);
  return (
    <Facts
      of={[
        ['State', <OnOff key="state" isOn={trigger.active} />],
        ['URL', <UrlLine key="url" url={url} />],
        ['Opened by', trigger.signature ? openedBy(trigger) : `X-Webhook-Secret with ${openedBy(trigger)}`],
        ['Id', <Id key="id" of={trigger.id} />],
        ['Last delivery', trigger.last_delivery_at ? <Ago key="last" of={trigger.last_delivery_at} /> : 'none yet'],
      ]}
    />
  );
}

function UrlLine({ url }: { url: string }) {
  return (
    <>
      <code>{url}</code> <CopyButton text={url} />
    </>
  );
}

function Secrets({ of: { secrets } }: { of: Trigger }) {
  return (
    <DataList
      label="Secrets"
      rows={secrets}
      keyOf={({ created_at }) => created_at}
      columns={[
        { head: 'Secret', cell: ({ last_four }) => (last_four ? <code>…{last_four}</code> : 'not shown') },
        { head: 'Made', cell: ({ created_at }) => <Ago of={created_at} /> },
        { head: 'Ends', cell: ({ expires_at }) => (expires_at ? <Ago of={expires_at} /> : 'never') },
      ]}
    />
  );
}

function AllDeliveries({ of }: { of: Trigger }) {
  const { id: org } = useOrg();
  return (
    <Link to="/o/$org/deliveries" params={{ org }} search={{ trigger: of.id }}>
      Show all
    </Link>
  );
}

function LatestDeliveries({ of }: { of: Trigger }) {
  const { id: org } = useOrg();
  const input = { params: { org }, query: { trigger: of.id, limit: 5 } };
  const deliveries = useCall('listDeliveries', input, { everyMs: lookEveryMs });
  return (
    <LoadedRecord query={deliveries} lines={3}>
      {({ data }) =>
        data.length === 0 ? (
          <Empty title="Nothing came in yet.">
            <p>Post something to the URL: it appears here within seconds, and counts as real.</p>
          </Empty>
        ) : (
          <DataList
            label="Latest deliveries"
            rows={data}
            keyOf={({ id }) => id}
            columns={[
              {
                head: 'Came in',
                cell: ({ id, received_at }) => (
                  <Link to="/o/$org/deliveries" params={{ org }} search={{ trigger: of.id, id }}>
                    <Ago of={received_at} />
                  </Link>
                ),
              },
              { head: 'Size', isNumber: true, cell: ({ bytes }) => bytesText(bytes) },
              { head: 'Started', cell: ({ runs }) => runs.map(({ workflow }) => workflow).join(', ') || 'nothing' },
            ]}
          />
        )
      }
    </LoadedRecord>
  );
}
