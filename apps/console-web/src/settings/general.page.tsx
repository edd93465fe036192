import { useState } from 'react';
import { refresh, useCall, useMe } from '../api/queries.ts';
import type { OutputOf } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { Page, Panel } from '../shell/page.tsx';
import { ShellCommand, Id, CliCommand } from '../ui/controls/copy.tsx';
import { TextField } from '../ui/controls/field.tsx';
import { Form, SubmitButton, readText } from '../ui/controls/form.tsx';
import { relata } from '../ui/controls/shell-command.ts';
import { DescriptionList } from '../ui/data/description-list.tsx';
import { Loaded } from '../ui/data/loaded.tsx';
import { DateTime } from '../ui/data/time.tsx';
import { notify } from '../ui/overlay/notices.tsx';
import css from './settings.module.css';
import { TeamMessages } from './team-messages.tsx';

type Organization = OutputOf<'getOrganization'>['data'];

export function GeneralPage() {
  const org = useOrg();
  const query = useCall('getOrganization', {});
  return (
    <Page title="General">
      <Panel title="Organization">
        <Loaded query={query} lines={4}>
          {({ data }) => (
            <>
              <About organization={data} />
              {org.can('manage') && <NameForm organization={data} />}
            </>
          )}
        </Loaded>
      </Panel>
      {org.can('manage') && <TeamMessages />}
      <Panel title="URLs">
        <Addresses />
      </Panel>
    </Page>
  );
}

function About({ organization: { id, name, created_at } }: { organization: Organization }) {
  const { role, can } = useOrg();
  return (
    <DescriptionList
      facts={[
        // The field below shows the name to people who can change it.
        ...(can('manage') ? [] : [['Name', <bdi key="name">{name}</bdi>] as const]),
        ['ID', <Id id={id} chars={36} />],
        ['Created', <DateTime time={created_at} />],
        ['Your role', role ?? 'Operator of this installation'],
      ]}
    />
  );
}

function NameForm({ organization: { id, name } }: { organization: Organization }) {
  const { call } = useOrg();
  // Undefined until the person types, so that the field follows changes of the name by others.
  const [typed, setTyped] = useState<string>();
  return (
    <div className={css.part}>
      <Form
        label="Rename organization"
        send={async (data) => {
          await call('updateOrganization', { body: { name: readText(data, 'name') } });
          // The menu of organizations also shows the name.
          await refresh('getOrganization', 'getMe', 'listAudit');
        }}
        onDone={() => {
          setTyped(undefined);
          notify('Name saved.');
        }}
      >
        <TextField
          name="name"
          label="Name"
          value={typed ?? name}
          onChange={({ target }) => setTyped(target.value)}
          hint="IDs, keys and URLs stay the same. Commands that use the organization’s name need the new name."
        />
        <div>
          <SubmitButton>Save name</SubmitButton>
        </div>
      </Form>
      <CliCommand command={relata('orgs', 'rename', 'NAME', '--org', id)} />
    </div>
  );
}

function Addresses() {
  const { server } = useMe();
  const { public_url: base } = server;
  return (
    <div className={css.part}>
      <ShellCommand label="API base URL">{`${base}/v1`}</ShellCommand>
      <ShellCommand label="OpenAPI description">{`${base}/openapi.json`}</ShellCommand>
      <ShellCommand label="Triggers, followed by the trigger’s ID">{`${base}/webhooks/trigger/`}</ShellCommand>
    </div>
  );
}
