import type { ReactNode } from 'react';
import { refresh } from '../api/queries.ts';
import type { Sender, Trigger } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { Copied, CopyButton } from '../ui/controls/copy.tsx';
import { TextField } from '../ui/controls/field.tsx';
import { Form, SubmitButton, readText } from '../ui/controls/form.tsx';
import { State } from '../ui/data/state.tsx';
import { notify } from '../ui/overlay/notices.tsx';
import { type MadeSecret, nameIn } from './made-secret.tsx';
import { lacksSecret, secretLabel } from './senders.ts';
import { TriggerLink } from './trigger-link.tsx';
import { useTriggerUrl } from './trigger-state.tsx';

interface SetUpStepProps {
  step: Sender['setup'][number];
  trigger: Trigger;
  sender: Sender | undefined;
  /** Secrets of a new trigger, while they are shown. */
  made: MadeSecret | undefined;
  onCopied: () => void;
}

export function SetUpStep(props: SetUpStepProps) {
  const { text, shows, value } = props.step;
  const hasValue = value !== undefined || (shows !== undefined && shows !== 'sender_secret');
  return (
    <li>
      {text}
      {hasValue && ':'} <Shown {...props} />
    </li>
  );
}

function Shown({ step: { shows, value, option }, trigger, sender, made, onCopied }: SetUpStepProps) {
  const url = useTriggerUrl(trigger.url);
  const fresh = made && nameIn(made);
  if (value !== undefined) return <Copied text={value} />;
  switch (shows) {
    case 'url':
      return <Copied text={url} />;
    case 'option':
      return <Copied text={trigger.signature_options[option ?? ''] ?? ''} />;
    case 'sender_secret':
      return <SenderSecret trigger={trigger} sender={sender} />;
    case 'secret':
      if (trigger.key) return <span>(the API key {trigger.key.name})</span>;
      if (fresh === 'secret') return <CopyButton text={made!.secret!} label="Copy secret" onCopied={onCopied} />;
      return <OnceShown trigger={trigger} act="rotate it" />;
    case 'verify_token':
      if (fresh === 'verify token')
        return <CopyButton text={made!.verify_token!} label="Copy verify token" onCopied={onCopied} />;
      return <OnceShown trigger={trigger} act="replace it" />;
    default:
      return null;
  }
}

function OnceShown({ trigger, act }: { trigger: Trigger; act: string }) {
  return (
    <span>
      (shown once, when it was created; if you did not store it, <SecretsLink trigger={trigger}>{act}</SecretsLink>)
    </span>
  );
}

function SecretsLink({ trigger: { id }, children }: { trigger: Trigger; children: ReactNode }) {
  return (
    <TriggerLink id={id} search={{ tab: 'secrets' }}>
      {children}
    </TriggerLink>
  );
}

/** Stores the secret that the sender created, or says that it is stored. */
function SenderSecret({ trigger, sender }: { trigger: Trigger; sender: Sender | undefined }) {
  const { can, call } = useOrg();
  const { id, secret_last_four: lastFour } = trigger;
  if (sender?.makes_secret && !lacksSecret(trigger))
    return (
      <span>
        <State tone="ok">{lastFour === null ? 'Stored' : `Stored (…${lastFour})`}</State>. To replace it,{' '}
        <SecretsLink trigger={trigger}>rotate it</SecretsLink>.
      </span>
    );
  if (!can('manage') || !sender) return null;
  const label = sender.options.length > 0 ? secretLabel(sender) : `${sender.maker} signing secret`;
  const store = (data: FormData) =>
    call('rotateTriggerSecret', { params: { id }, body: { overlap_seconds: 0, secret: readText(data, 'secret') } });
  return (
    <Form
      label={label}
      send={store}
      isEmptied
      lostWith="tab"
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
