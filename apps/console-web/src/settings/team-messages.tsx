import { useState } from 'react';
import { refresh, useCall } from '../api/queries.ts';
import type { OutputOf, NotifyChannel } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { Panel } from '../shell/page.tsx';
import { Button } from '../ui/controls/button.tsx';
import { CliCommand } from '../ui/controls/copy.tsx';
import { type Option, SelectField, TextField } from '../ui/controls/field.tsx';
import { Form, readText, SubmitButton } from '../ui/controls/form.tsx';
import { relata } from '../ui/controls/shell-command.ts';
import { ActionButton } from '../ui/controls/action-button.tsx';
import { DescriptionList } from '../ui/data/description-list.tsx';
import { Loaded } from '../ui/data/loaded.tsx';
import { State } from '../ui/data/state.tsx';
import { RelativeTime } from '../ui/data/time.tsx';
import { Confirm } from '../ui/overlay/confirm.tsx';
import { notify } from '../ui/overlay/notices.tsx';
import css from './settings.module.css';

const kindNames = { slack: 'Slack', teams: 'Teams', discord: 'Discord', 'google-chat': 'Google Chat' } as const;

const kindOptions: readonly Option[] = [['', 'Detect from the URL'], ...Object.entries(kindNames)];

const testEveryMs = 1_000;

type Output = OutputOf<'getNotifyChannel'>;

/** The channel in which the team is notified about failed runs and refused requests. */
export function TeamMessages() {
  const everyMs = (output: Output | undefined) => (output?.data?.test === 'waiting' ? testEveryMs : undefined);
  const query = useCall('getNotifyChannel', {}, { everyMs });
  return (
    <Panel title="Messages to the team">
      <Loaded query={query} lines={4}>
        {({ data }) => (
          <>
            {data && <Current channel={data} />}
            <ChannelForm isSet={data !== null} />
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function Current({ channel }: { channel: NotifyChannel }) {
  const { call } = useOrg();
  const [isRemoving, setRemoving] = useState(false);
  const { kind, host, last_four: end, last_sent_at: sentAt, waiting } = channel;
  const test = async () => {
    await call('testNotifyChannel', {});
    await refresh('getNotifyChannel');
  };
  return (
    <>
      <DescriptionList
        facts={[
          ['Channel', `${kindNames[kind]} at ${host}${end && `, URL ending in ${end}`}`],
          ['Last message', sentAt ? <RelativeTime key="sent" time={sentAt} /> : 'None yet'],
          ['Status', <Status key="status" channel={channel} />],
          ...(waiting > 0 ? [['Waiting', `${waiting}`] as const] : []),
        ]}
      />
      <div className={css.part}>
        <div>
          <ActionButton run={test} disabled={channel.test === 'waiting'}>
            Send test message
          </ActionButton>{' '}
          <Button onClick={() => setRemoving(true)}>Remove channel</Button>
        </div>
      </div>
      {isRemoving && <RemoveDialog onClose={() => setRemoving(false)} />}
    </>
  );
}

function Status({ channel: { test, last_error: error } }: { channel: NotifyChannel }) {
  if (test === 'waiting') return <State tone="busy">Test message is on its way</State>;
  if (error) return <State tone="bad">{`Last message failed: ${error.message}`}</State>;
  if (test === 'failed') return <State tone="bad">Test message failed</State>;
  return <State tone="ok">{test === 'sent' ? 'Test message sent' : 'Enabled'}</State>;
}

function ChannelForm({ isSet }: { isSet: boolean }) {
  const { id, call } = useOrg();
  return (
    <div className={css.part}>
      <Form
        label="Channel for messages to the team"
        isEmptied
        send={(data) => {
          const kind = readText(data, 'kind') as NotifyChannel['kind'] | '';
          const body = { url: readText(data, 'url'), ...(kind && { kind }) };
          return call('setNotifyChannel', { body });
        }}
        onDone={() => {
          void refresh('getNotifyChannel', 'listAudit');
          notify('Channel saved.');
        }}
      >
        <TextField
          name="url"
          label={isSet ? 'Replace webhook URL' : 'Webhook URL'}
          hint="Incoming webhook of your team’s chat. Each cause of failures is reported at once, then at most once an hour."
        />
        <SelectField name="kind" label="Chat" options={kindOptions} />
        <div>
          <SubmitButton>Save channel</SubmitButton>
        </div>
      </Form>
      <CliCommand command={relata('notify', 'set', '--org', id, '--channel-file', 'FILE')} />
    </div>
  );
}

function RemoveDialog({ onClose }: { onClose: () => void }) {
  const { id, call } = useOrg();
  const remove = async () => {
    await call('removeNotifyChannel', {});
    await refresh('getNotifyChannel', 'listAudit');
    notify('Channel removed.');
  };
  return (
    <Confirm title="Remove the channel?" act="Remove" onConfirm={remove} onClose={onClose}>
      <p>
        The team will no longer be notified about failed runs and refused requests. Messages that were not sent yet are
        dropped.
      </p>
      <CliCommand command={relata('notify', 'remove', '--org', id)} />
    </Confirm>
  );
}
