import { useState } from 'react';
import type { Trigger } from '../api/types.ts';
import { Panel } from '../shell/page.tsx';
import { Button } from '../ui/controls/button.tsx';
import { Command } from '../ui/controls/copy.tsx';
import { DoneButton, Secret } from '../ui/controls/secret.tsx';
import { relata, shellCommand } from '../ui/controls/shell-command.ts';
import { Dialog } from '../ui/overlay/dialog.tsx';
import { isSigning } from './senders.ts';
import { useTriggerUrl } from './trigger-state.tsx';
import css from './triggers.module.css';

export interface MadeSecret {
  trigger: Trigger;
  /** `null` if a key opens the trigger or its sender made the secret: these are shown nowhere. */
  secret: string | null;
}

interface NewSecretProps {
  trigger: Trigger;
  secret: string;
  onDone: () => void;
}

/** The secret of a new trigger, on the page of the trigger; the page cannot be left before it is stored. */
export function NewSecret({ trigger, secret, onDone }: NewSecretProps) {
  const [isStored, setStored] = useState(false);
  return (
    <Panel title={`Secret of ${trigger.name}`}>
      <div className={css.newSecret}>
        <Secret secret={secret} what="secret" isKept={isSigning(trigger.signature)} onStored={setStored} />
        <TryIt trigger={trigger} secret={secret} />
        <div className={css.done}>
          <DoneButton isStored={isStored} onDone={onDone} />
        </div>
      </div>
    </Panel>
  );
}

export function MadeSecretDialog({ made: { trigger, secret }, onDone }: { made: MadeSecret; onDone: () => void }) {
  const [isStored, setStored] = useState(false);
  const url = useTriggerUrl(trigger.url);
  if (secret === null)
    return (
      <Dialog onClose={onDone} title="Secret stored" actions={<Button onClick={onDone}>Done</Button>}>
        <Command label="Send signed requests to:">{url}</Command>
      </Dialog>
    );
  return (
    <Dialog
      isAlert
      isWide
      title={`Secret of ${trigger.name}`}
      actions={<DoneButton isStored={isStored} onDone={onDone} />}
    >
      <Secret secret={secret} what="secret" isKept={isSigning(trigger.signature)} onStored={setStored} />
      <TryIt trigger={trigger} secret={secret} />
    </Dialog>
  );
}

function TryIt({ trigger: { id, url, signature }, secret }: { trigger: Trigger; secret: string }) {
  const whole = useTriggerUrl(url);
  if (signature) return <Command label="Send a signed test request:">{relata('triggers', 'test', id)}</Command>;
  return <Command label="Send a test request:">{sampleCurl(whole, secret)}</Command>;
}

const sample = '{"user":{"email":"ada@robotics.example","name":"Ada Lovelace"}}';

/** A post to a trigger as a sender makes it, to be pasted into a terminal. */
export const sampleCurl = (url: string, secret: string) =>
  shellCommand('curl', '-s', url, '-H', `X-Webhook-Secret: ${secret}`, '-d', sample);
