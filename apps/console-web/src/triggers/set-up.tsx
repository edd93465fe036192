import { ExternalLink } from 'lucide-react';
import { useEffect, useState } from 'react';
import { call } from '../api/client.ts';
import { refresh, useCall } from '../api/queries.ts';
import type { Sender, Trigger } from '../api/types.ts';
import { OrgLink, useOrg } from '../shell/org.ts';
import { Panel } from '../shell/page.tsx';
import { Copied } from '../ui/controls/copy.tsx';
import { TextField } from '../ui/controls/field.tsx';
import { Form, SubmitButton, readText } from '../ui/controls/form.tsx';
import { Loaded } from '../ui/data/loaded.tsx';
import { State } from '../ui/data/state.tsx';
import { Ago } from '../ui/data/time.tsx';
import { notify } from '../ui/overlay/notices.tsx';
import { forgetFreshSecret, findFreshSecret } from './fresh-secret.ts';
import { NewSecret } from './made-secret.tsx';
import { senderName } from './senders.ts';
import { useTriggerUrl } from './trigger-state.tsx';
import css from './triggers.module.css';

type Step = Sender['setup'][number];

/** The secret of a new trigger, shown once, and the steps by which its sender is connected. */
export function SetUp({ trigger }: { trigger: Trigger }) {
  const [secret, setSecret] = useState(() => findFreshSecret(trigger.id));
  useEffect(() => forgetFreshSecret, []);
  const senders = useCall('listSenders', {});
  const forget = () => {
    forgetFreshSecret();
    setSecret(undefined);
  };
  const { signature } = trigger;
  return (
    <>
      {secret !== undefined && <NewSecret trigger={trigger} secret={secret} onDone={forget} />}
      <Panel title={signature && signature !== 'hmac' ? `Set up ${senderName(signature)}` : 'Set up the sender'}>
        <Loaded query={senders} lines={5}>
          {({ data, header_setup }) => (
            <ol className={css.steps}>
              {(data.find(({ kind }) => kind === signature)?.setup ?? header_setup).map((step) => (
                <li key={step.text}>
                  {step.text}
                  {(step.value ?? step.shows) !== undefined && step.shows !== 'sender_secret' && ':'}{' '}
                  <Shown step={step} trigger={trigger} isSecretHere={secret !== undefined} />
                </li>
              ))}
            </ol>
          )}
        </Loaded>
        {!signature && (
          <p className={css.note}>
            GitHub, Stripe, Shopify, Slack and HubSpot cannot send this header. For them, create a trigger whose
            authentication is their signature.
          </p>
        )}
        {signature && (
          <p className={css.note}>
            <a href="/console/docs/senders.html" target="_blank" rel="noreferrer">
              A workflow for each kind of sender (new tab) <ExternalLink size={12} aria-hidden />
            </a>
          </p>
        )}
        <FirstRequest to={trigger} />
      </Panel>
    </>
  );
}

function Shown({ step, trigger, isSecretHere }: { step: Step; trigger: Trigger; isSecretHere: boolean }) {
  const { shows, value } = step;
  const url = useTriggerUrl(trigger.url);
  if (value !== undefined) return <Copied text={value} />;
  if (shows === 'url') return <Copied text={url} />;
  if (shows === 'sender_secret') return <SenderSecret trigger={trigger} />;
  if (shows !== 'secret') return null;
  if (isSecretHere) return <span>(shown above)</span>;
  if (trigger.key) return <span>(the API key {trigger.key.name})</span>;
  return (
    <span>
      (shown once, when it was created; if you did not store it,{' '}
      <OrgLink to="/o/$org/triggers/$id" params={{ id: trigger.id }} search={{ tab: 'secrets' }}>
        rotate it
      </OrgLink>
      )
    </span>
  );
}

function SenderSecret({ trigger: { id, signature } }: { trigger: Trigger }) {
  const org = useOrg();
  if (!org.can('manage')) return null;
  const label =
    signature === null || signature === 'hmac' ? 'Signing secret' : `${senderName(signature)} signing secret`;
  return (
    <Form
      label={label}
      send={(data) =>
        call('rotateTriggerSecret', {
          params: { org: org.id, id },
          body: { overlap_seconds: 0, secret: readText(data, 'secret') },
        })
      }
      onDone={() => {
        void refresh('getTrigger', 'listTriggers');
        notify('Secret stored. It replaces the previous one.');
      }}
    >
      <TextField name="secret" label={label} />
      <div>
        <SubmitButton>Store secret</SubmitButton>
      </div>
    </Form>
  );
}

/** Says live when the first authentic request was received, and leads on from it. */
function FirstRequest({ to: { id } }: { to: Trigger }) {
  const newest = useCall('listDeliveries', { query: { trigger: id, limit: 1 } }, { everyMs: 1_000 });
  const [last] = newest.data?.data ?? [];
  return (
    <p className={css.note} role="status">
      {last ? (
        <>
          <State tone="ok">Connected</State>: last request received <Ago time={last.received_at} />.{' '}
          <OrgLink to="/o/$org/triggers/$id" params={{ id }} search={{ tab: 'map' }}>
            Map the fields
          </OrgLink>
        </>
      ) : (
        <>
          <State tone="idle">Waiting</State> for the first request. This page shows it immediately.
        </>
      )}
    </p>
  );
}
