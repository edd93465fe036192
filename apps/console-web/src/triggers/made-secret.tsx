import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Trigger } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { Button } from '../ui/controls/button.tsx';
import { Command } from '../ui/controls/copy.tsx';
import { DoneButton, Secret } from '../ui/controls/secret.tsx';
import { relata } from '../ui/controls/shell-command.ts';
import { Dialog } from '../ui/overlay/dialog.tsx';
import { sampleCurl } from './sample-curl.ts';
import { useTriggerUrl } from './trigger-state.tsx';

export interface MadeSecret {
  trigger: Trigger;
  /** `null` where a key opens it, or its sender made it: these are shown nowhere. */
  secret: string | null;
}

const ofKey = { title: 'Trigger created', label: 'Senders post to it with their key as X-Webhook-Secret:' };
const ofSigner = { title: 'The sender’s secret is stored', label: 'The sender signs, and posts to:' };

export function MadeSecretDialog({ made: { trigger, secret }, onDone }: { made: MadeSecret; onDone: () => void }) {
  const org = useOrg();
  const [isStored, setStored] = useState(false);
  const url = useTriggerUrl(trigger.url);
  const open = (
    <Link to="/o/$org/triggers/$id" params={{ org: org.id, id: trigger.id }} onClick={onDone}>
      Open the trigger
    </Link>
  );
  const without = trigger.signature ? ofSigner : ofKey;
  if (secret === null)
    return (
      <Dialog isOpen onClose={onDone} title={without.title} actions={<Button onClick={onDone}>Done</Button>}>
        <Command label={without.label}>{url}</Command>
        {trigger.key && <Command label="Try it, with the key in place of KEY:">{sampleCurl(url, 'KEY')}</Command>}
        {open}
      </Dialog>
    );
  return (
    <Dialog
      isOpen
      isAlert
      isWide
      title={`The secret of ${trigger.name}`}
      actions={<DoneButton isStored={isStored} onDone={onDone} />}
    >
      <Secret secret={secret} what="secret" isKept={trigger.signature !== null} onStored={setStored} />
      {trigger.signature ? (
        <>
          <Command label="The sender posts to:">{url}</Command>
          <Command label="Try it, signed:">{relata('triggers', 'test', trigger.id)}</Command>
        </>
      ) : (
        <Command label="Try it:">{sampleCurl(url, secret)}</Command>
      )}
      {isStored && open}
    </Dialog>
  );
}
