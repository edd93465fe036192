import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useCall } from '../api/queries.ts';
import type { ListedTrigger } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { Page, Panel } from '../shell/page.tsx';
import { Button } from '../ui/controls/button.tsx';
import { DataList, rowId } from '../ui/data/data-list.tsx';
import { Empty } from '../ui/data/empty.tsx';
import { Loaded } from '../ui/data/loaded.tsx';
import { RelativeTime } from '../ui/data/time.tsx';
import { CreateTriggerDialog } from './create-trigger.tsx';
import { keepFreshSecret } from './fresh-secret.ts';
import { TriggerLink } from './trigger-link.tsx';
import { OnOff, openedBy } from './trigger-state.tsx';

export function TriggersPage() {
  const org = useOrg();
  const triggers = useCall('listTriggers', {});
  const [isCreating, setCreating] = useState(false);
  const navigate = useNavigate();
  const create = () => setCreating(true);
  return (
    <Page
      title="Triggers"
      intro="URLs to which other systems send JSON. Each delivery starts the workflows assigned to the trigger."
      actions={
        org.can('manage') && (
          <Button variant="primary" shortcut="c" onClick={create}>
            Create trigger
          </Button>
        )
      }
    >
      <Panel>
        <Loaded query={triggers}>
          {({ data }) => (data.length > 0 ? <TriggerList triggers={data} /> : <NoTriggers onCreate={create} />)}
        </Loaded>
      </Panel>
      {isCreating && (
        <CreateTriggerDialog
          onClose={() => setCreating(false)}
          onMade={(made) => {
            keepFreshSecret(made);
            const { id } = made.trigger;
            void navigate({ to: '/o/$org/triggers/$id', params: { org: org.id, id }, search: { tab: 'setup' } });
          }}
        />
      )}
    </Page>
  );
}

function NoTriggers({ onCreate }: { onCreate: () => void }) {
  const org = useOrg();
  return (
    <Empty title="No triggers yet">
      <p>A trigger is a URL that receives requests from another system, such as a form on your website.</p>
      {org.can('manage') ? (
        <Button variant="primary" onClick={onCreate}>
          Create the first trigger
        </Button>
      ) : (
        <p>Ask an admin of {org.name} to create one.</p>
      )}
    </Empty>
  );
}

function TriggerList({ triggers }: { triggers: readonly ListedTrigger[] }) {
  return (
    <DataList
      label="Triggers"
      rows={triggers}
      keyOf={rowId}
      isDimmed={({ active }) => !active}
      columns={[
        { head: 'Name', cell: ({ id, name }) => <TriggerLink id={id}>{name}</TriggerLink> },
        { head: 'Status', isNarrow: true, cell: ({ active }) => <OnOff isOn={active} /> },
        { head: 'Authentication', isNarrow: true, cell: (trigger) => openedBy(trigger) },
        { head: 'Workflows', cell: ({ workflows }) => workflows.join(', ') || 'None' },
        {
          head: 'Last delivery',
          isNarrow: true,
          cell: ({ last_delivery_at: at }) => (at ? <RelativeTime time={at} /> : 'None yet'),
        },
      ]}
    />
  );
}
