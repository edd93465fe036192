import { useEffect, useState } from 'react';
import { useCall } from '../api/queries.ts';
import type { ListedDelivery, Sender, Trigger } from '../api/types.ts';
import { Panel } from '../shell/page.tsx';
import { Copied } from '../ui/controls/copy.tsx';
import { DocsLink } from '../ui/controls/docs-link.tsx';
import { Loaded } from '../ui/data/loaded.tsx';
import { State } from '../ui/data/state.tsx';
import { RelativeTime } from '../ui/data/time.tsx';
import { forgetFreshSecret, findFreshSecret } from './fresh-secret.ts';
import { NewSecret } from './made-secret.tsx';
import { RefusalsNote } from './refusals-note.tsx';
import { ReplayWarning } from './sender-fields.tsx';
import { lacksSecret, senderText } from './senders.ts';
import { SetUpStep } from './set-up-step.tsx';
import { TriggerLink } from './trigger-link.tsx';
import css from './triggers.module.css';

/** The secret of a new trigger, shown once, and the steps to connect its sender. */
export function SetUp({ trigger }: { trigger: Trigger }) {
  const [made, setMade] = useState(() => findFreshSecret(trigger.id));
  const [isCopied, setCopied] = useState(false);
  useEffect(() => forgetFreshSecret, []);
  const senders = useCall('listSenders', {});
  const newest = useCall('listDeliveries', { query: { trigger: trigger.id, limit: 1 } }, { everyMs: 1_000 });
  const last = newest.data?.data[0];
  const forget = () => {
    forgetFreshSecret();
    setMade(undefined);
  };
  return (
    <>
      {made && <NewSecret made={made} isCopied={isCopied} onDone={forget} />}
      <Panel title={`Set up ${senderText(trigger)}`}>
        <Loaded query={senders} lines={5}>
          {({ data, header_setup }) => {
            const sender = data.find(({ kind }) => kind === trigger.signature);
            return (
              <>
                <SenderNote sender={sender} />
                <ol
                  className={css.steps}
                  data-done={last ? true : undefined}
                  aria-label={last ? 'Steps, all done' : 'Steps'}
                >
                  {(sender?.setup ?? header_setup).map((step) => (
                    <SetUpStep
                      key={step.text}
                      step={step}
                      trigger={trigger}
                      sender={sender}
                      made={made}
                      onCopied={() => setCopied(true)}
                    />
                  ))}
                </ol>
              </>
            );
          }}
        </Loaded>
        {trigger.signature && (
          <p className={css.note}>
            <DocsLink page="senders">A workflow for each kind of sender</DocsLink>
          </p>
        )}
        <FirstRequest to={trigger} last={last} />
      </Panel>
      <RefusalsNote trigger={trigger} />
    </>
  );
}

function SenderNote({ sender }: { sender: Sender | undefined }) {
  if (!sender)
    return (
      <p className={css.intro}>
        Senders such as GitHub, Stripe and Slack cannot send this header. For them, create a trigger whose
        authentication is their signature.
      </p>
    );
  if (sender.warning !== null)
    return (
      <div className={css.intro}>
        <ReplayWarning text={sender.warning} />
      </div>
    );
  if (sender.options.length > 0) return null;
  return (
    <p className={css.intro}>
      Documentation of {sender.maker}: <Copied text={sender.page} />
    </p>
  );
}

/** Shows that the trigger waits for its first authentic request, or when the last one was received. */
function FirstRequest({ to, last }: { to: Trigger; last: ListedDelivery | undefined }) {
  return (
    <p className={css.note} role="status">
      {last ? (
        <>
          <State tone="ok">Connected</State>: last request received <RelativeTime time={last.received_at} />.{' '}
          <TriggerLink id={to.id} search={{ tab: 'map' }}>
            Map the fields
          </TriggerLink>
        </>
      ) : (
        <>
          <State tone="idle">Waiting</State> for the first request.{' '}
          {lacksSecret(to)
            ? `Requests are refused until the secret of ${senderText(to)} is stored.`
            : 'This page shows it immediately.'}
        </>
      )}
    </p>
  );
}
