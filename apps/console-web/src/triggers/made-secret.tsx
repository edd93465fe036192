import { useState } from 'react';
import type { OutputOf, Trigger } from '../api/types.ts';
import { Panel } from '../shell/page.tsx';
import { Button } from '../ui/controls/button.tsx';
import { ShellCommand } from '../ui/controls/copy.tsx';
import { DoneButton, Secret } from '../ui/controls/secret.tsx';
import { relata, shellCommand } from '../ui/controls/shell-command.ts';
import { Dialog } from '../ui/overlay/dialog.tsx';
import { useTriggerUrl } from './trigger-state.tsx';
import css from './triggers.module.css';

export interface MadeSecret {
  trigger: Trigger;
  /** `null` if the trigger uses a key or the sender created the secret. Neither is ever shown. */
  secret: string | null;
  verify_token?: string | null;
  post?: OutputOf<'createTrigger'>['data']['post'];
}

export type SecretName = 'secret' | 'verify token';

interface NewSecretProps {
  made: MadeSecret;
  /** True if another button of the page copied the secret. */
  isCopied: boolean;
  onDone: () => void;
}

/** Shows the secret of a new trigger on its page. The page cannot be left before the secret is stored. */
export function NewSecret({ made, isCopied, onDone }: NewSecretProps) {
  const [isStored, setStored] = useState(false);
  return (
    <Panel title={titleFor(made)}>
      <div className={css.newSecret}>
        <OnceShown made={made} isCopied={isCopied} onStored={setStored} />
        <div className={css.done}>
          <DoneButton isStored={isStored || isCopied} onDone={onDone} />
        </div>
      </div>
    </Panel>
  );
}

export function MadeSecretDialog({ made, onDone }: { made: MadeSecret; onDone: () => void }) {
  const [isStored, setStored] = useState(false);
  const url = useTriggerUrl(made.trigger.url);
  if (nameIn(made) === undefined)
    return (
      <Dialog onClose={onDone} title="Secret stored" actions={<Button onClick={onDone}>Done</Button>}>
        <ShellCommand label="Send signed requests to:">{url}</ShellCommand>
      </Dialog>
    );
  return (
    <Dialog isAlert isWide title={titleFor(made)} actions={<DoneButton isStored={isStored} onDone={onDone} />}>
      <OnceShown made={made} onStored={setStored} />
    </Dialog>
  );
}

interface OnceShownProps {
  made: MadeSecret;
  isCopied?: boolean;
  onStored: (isStored: boolean) => void;
}

/** The secret or verify token, shown once. No kind of sender has both a generated secret and a verify token. */
function OnceShown({ made, isCopied, onStored }: OnceShownProps) {
  const { trigger, secret, verify_token: token } = made;
  const isKept = secret !== null && (trigger.sender?.is_signed ?? false);
  return (
    <>
      <Secret
        secret={secret ?? token ?? ''}
        what={nameIn(made) ?? ''}
        isKept={isKept}
        isCopied={isCopied}
        onStored={onStored}
      />
      {secret !== null && <TryIt made={made} secret={secret} />}
    </>
  );
}

export function nameIn({ secret, verify_token: token }: MadeSecret): SecretName | undefined {
  if (secret !== null) return 'secret';
  return token ? 'verify token' : undefined;
}

function titleFor(made: MadeSecret): string {
  return `${nameIn(made) === 'verify token' ? 'Verify token' : 'Secret'} of ${made.trigger.name}`;
}

function TryIt({ made: { trigger, post }, secret }: { made: MadeSecret; secret: string }) {
  const url = useTriggerUrl(trigger.url);
  if (trigger.sender?.is_signed)
    return <ShellCommand label="Send a signed test request:">{relata('triggers', 'test', trigger.id)}</ShellCommand>;
  return (
    <>
      {post && post.url !== url && <ShellCommand label="URL with the secret, for the sender:">{post.url}</ShellCommand>}
      <ShellCommand label="Send a test request:">
        {post ? curl({ ...post, headers: { ...post.headers, ...json } }) : sampleCurl(url, secret)}
      </ShellCommand>
    </>
  );
}

/** Header that is required, because the default content type of curl is that of a form. */
const json = { 'Content-Type': 'application/json' };

const sample = '{"user":{"email":"ada@robotics.example","name":"Ada Lovelace"}}';

/** Returns a curl command that posts to a trigger like a sender. */
export const sampleCurl = (url: string, secret: string) => curl({ url, headers: { 'X-Webhook-Secret': secret } });

function curl({ url, headers }: { url: string; headers: Record<string, string> }): string {
  const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  return shellCommand('curl', '-s', url, ...given, '-d', sample);
}
