import { useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { refresh, useCall } from '../api/queries.ts';
import type { Trigger } from '../api/types.ts';
import type { TriggerTab } from '../search-params.ts';
import { OrgLink, useOrg } from '../shell/org.ts';
import { Page, Panel, Tabs } from '../shell/page.tsx';
import { Button } from '../ui/controls/button.tsx';
import { Copied, Id, CliCommand } from '../ui/controls/copy.tsx';
import { relata } from '../ui/controls/shell-command.ts';
import { ActionButton } from '../ui/controls/action-button.tsx';
import { Empty } from '../ui/data/empty.tsx';
import { DescriptionList } from '../ui/data/description-list.tsx';
import { LoadedRecord } from '../ui/data/loaded.tsx';
import { RelativeTime } from '../ui/data/time.tsx';
import { Hint } from '../ui/data/error-alert.tsx';
import { DeliveryList } from '../deliveries/delivery-list.tsx';
import { EditTriggerDialog } from './edit-trigger.tsx';
import { RefusalsNote } from './refusals-note.tsx';
import { Assignments } from './assignments.tsx';
import { ListenAndMap } from './map/listen-and-map.tsx';
import { Secrets } from './secrets.tsx';
import { SetUp } from './set-up.tsx';
import { OnOff, openedBy, useTriggerUrl } from './trigger-state.tsx';

export function TriggerPage() {
  const { id } = useParams({ from: '/signed-in/o/$org/triggers/$id' });
  const trigger = useCall('getTrigger', { params: { id } });
  return <LoadedRecord query={trigger}>{({ data }) => <TriggerView key={data.id} trigger={data} />}</LoadedRecord>;
}

const tabs: readonly (readonly [tab: TriggerTab, name: string])[] = [
  ['map', 'Listen & map'],
  ['setup', 'Set up'],
  ['starts', 'Workflows'],
  ['secrets', 'Secrets'],
  ['deliveries', 'Deliveries'],
];

function TriggerView({ trigger }: { trigger: Trigger }) {
  const { can } = useOrg();
  const { tab = 'map' } = useSearch({ from: '/signed-in/o/$org/triggers/$id' });
  return (
    <Page title={trigger.name} actions={can('manage') && <TriggerActs trigger={trigger} />}>
      {!trigger.active && (
        <Hint>
          <p>This trigger is disabled. Requests get 404 and are not stored.</p>
        </Hint>
      )}
      {tab !== 'setup' && <RefusalsNote trigger={trigger} />}
      <Panel>
        <TriggerFacts trigger={trigger} />
      </Panel>
      <Tabs label="Trigger" current={tab}>
        {tabs.map(([to, name]) => (
          <OrgLink
            key={to}
            to="/o/$org/triggers/$id"
            params={{ id: trigger.id }}
            search={(before) => ({ ...before, tab: to })}
            activeProps={{}}
            aria-current={to === tab ? 'page' : undefined}
            resetScroll={false}
          >
            {name}
          </OrgLink>
        ))}
      </Tabs>
      {tab === 'map' && <ListenAndMap trigger={trigger} />}
      {tab === 'setup' && <SetUp trigger={trigger} key={trigger.id} />}
      {tab === 'starts' && (
        <Panel title="Workflows">
          <Assignments trigger={trigger} />
        </Panel>
      )}
      {tab === 'secrets' && <Secrets trigger={trigger} />}
      {tab === 'deliveries' && (
        <Panel title="Latest deliveries" actions={<AllDeliveries trigger={trigger} />}>
          <LatestDeliveries trigger={trigger} />
        </Panel>
      )}
    </Page>
  );
}

function TriggerActs({ trigger }: { trigger: Trigger }) {
  const [isEditing, setEditing] = useState(false);
  return (
    <>
      <Button shortcut="e" onClick={() => setEditing(true)}>
        Edit
      </Button>
      <Switch trigger={trigger} />
      {isEditing && <EditTriggerDialog trigger={trigger} onClose={() => setEditing(false)} />}
    </>
  );
}

function Switch({ trigger }: { trigger: Trigger }) {
  const { call } = useOrg();
  const switchIt = async () => {
    await call('updateTrigger', { params: { id: trigger.id }, body: { active: !trigger.active } });
    await refresh('getTrigger', 'listTriggers');
  };
  return (
    <>
      <ActionButton run={switchIt}>{trigger.active ? 'Disable' : 'Enable'}</ActionButton>
      <CliCommand command={relata('triggers', trigger.active ? 'disable' : 'enable', trigger.id)} />
    </>
  );
}

function TriggerFacts({ trigger }: { trigger: Trigger }) {
  const url = useTriggerUrl(trigger.url);
  return (
    <DescriptionList
      isDense
      facts={[
        ['Status', <OnOff key="status" isOn={trigger.active} />],
        ['URL', <Copied key="url" text={url} />],
        ['Authentication', openedBy(trigger)],
        ['ID', <Id key="id" id={trigger.id} />],
        [
          'Last delivery',
          trigger.last_delivery_at ? <RelativeTime key="last" time={trigger.last_delivery_at} /> : 'None yet',
        ],
      ]}
    />
  );
}

function AllDeliveries({ trigger }: { trigger: Trigger }) {
  return (
    <OrgLink to="/o/$org/deliveries" search={{ trigger: trigger.id }}>
      View all
    </OrgLink>
  );
}

function LatestDeliveries({ trigger }: { trigger: Trigger }) {
  const deliveries = useCall('listDeliveries', { query: { trigger: trigger.id, limit: 5 } });
  return (
    <LoadedRecord query={deliveries} lines={3}>
      {({ data }) =>
        data.length === 0 ? (
          <Empty title="No deliveries yet">
            <p>Send a request to the URL. It appears here within seconds and runs for real.</p>
          </Empty>
        ) : (
          <DeliveryList label="Latest deliveries" deliveries={data} trigger={trigger.id} />
        )
      }
    </LoadedRecord>
  );
}
