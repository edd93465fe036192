import { useCall } from '../api/queries.ts';
import type { OutputOf, Trigger } from '../api/types.ts';
import { reasonText } from '../deliveries/refusal-reasons.tsx';
import { OrgLink } from '../shell/org.ts';
import { countText, countedText } from '../ui/data/count.ts';
import { RelativeTime } from '../ui/data/time.tsx';
import { Hint } from '../ui/data/error-alert.tsx';
import { lacksSecret, senderText } from './senders.ts';
import css from './triggers.module.css';

type Count = OutputOf<'countRefusals'>['data'][number];

/** The refused requests of a trigger by reason, with the newest message and advice for each. */
export function RefusalsNote({ trigger }: { trigger: Trigger }) {
  const counts = useCall('countRefusals', { params: { id: trigger.id } });
  const reasons = counts.data?.data ?? [];
  if (reasons.length === 0) return null;
  const all = reasons.reduce((sum, { refused }) => sum + refused, 0);
  return (
    <section aria-label="Refused requests">
      <Hint>
        <p>{countedText(all, 'request was', 'requests were')} refused in the last 7 days:</p>
        <ul aria-label="Reasons for refusals" className={css.reasons}>
          {reasons.map((count) => (
            <Reason key={count.reason} count={count} trigger={trigger} />
          ))}
        </ul>
        <OrgLink to="/o/$org/deliveries" search={{ trigger: trigger.id, outcome: 'refused' }}>
          Show refused requests
        </OrgLink>
      </Hint>
    </section>
  );
}

function Reason({ count, trigger }: { count: Count; trigger: Trigger }) {
  const { reason, refused, last_refused_at: at, last_message: message } = count;
  // Omits the message for a wrong secret, which only repeats the reason.
  const lines = [reason === 'unauthorized' ? null : message && sentence(message), adviceFor(reason, trigger)];
  return (
    <li>
      <p>
        {countText(refused)} × {reasonText(reason, trigger.sender)}, last <RelativeTime time={at} />
      </p>
      <p>{lines.filter(Boolean).join(' ')}</p>
    </li>
  );
}

const sentence = (text: string) => `${text[0]!.toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;

/** Returns advice on a reason; undefined if the message says enough. */
function adviceFor(reason: string, trigger: Trigger): string | undefined {
  const { sender, key, secret_last_four: lastFour } = trigger;
  const name = senderText(trigger);
  const secret = `this trigger’s secret${lastFour ? ` (…${lastFour})` : ''}`;
  switch (reason) {
    case 'no_signature':
      if (sender?.makes_secret) return 'Check that no other system posts to this URL.';
      return `Enter ${secret} in ${name}, and check that no other system posts to this URL.`;
    case 'bad_signature':
    case 'unauthorized':
      if (lacksSecret(trigger)) return `The secret of ${name} is not stored yet: enter it under Set up.`;
      if (sender)
        return `Check that ${name} ${sender.is_signed ? 'signs with' : 'sends'} ${secret}. If you are not sure, rotate the secret and enter the new one.`;
      return `Check that the sender sends ${key ? `the API key ${key.name}` : secret} in the header X-Webhook-Secret.`;
    case 'wrong_kind':
      return 'Create a trigger for that sender, or correct the URL that it posts to.';
    case 'stale':
    case 'future':
      return 'Check the clocks of the sender and of this server.';
    case 'wrong_verify_token':
      return `Enter the verify token of this trigger in ${name}. If you did not store it, replace it under Secrets.`;
    case 'invalid_input':
      return 'Correct the mapping or the sender, then replay the refused requests.';
    default:
      return undefined;
  }
}
