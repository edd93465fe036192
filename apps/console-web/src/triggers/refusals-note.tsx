import { useCall } from '../api/queries.ts';
import type { Trigger } from '../api/types.ts';
import { RefusalCounts, unprovenReasons } from '../deliveries/refusal-reasons.tsx';
import { OrgLink } from '../shell/org.ts';
import { countedText } from '../ui/data/count.ts';
import { Hint } from '../ui/data/trouble.tsx';
import { senderName } from './senders.ts';

export function RefusalsNote({ trigger }: { trigger: Trigger }) {
  const counts = useCall('countRefusals', { params: { id: trigger.id } });
  const reasons = counts.data?.data ?? [];
  if (reasons.length === 0) return null;
  const all = reasons.reduce((sum, { refused }) => sum + refused, 0);
  return (
    <section aria-label="Refused requests">
      <Hint>
        <p>{countedText(all, 'request was', 'requests were')} refused in the last 7 days:</p>
        <RefusalCounts counts={reasons} signature={trigger.signature} />
        {reasons.some(({ reason }) => unprovenReasons.has(reason)) && <p>{adviceFor(trigger)}</p>}
        <OrgLink to="/o/$org/deliveries" search={{ trigger: trigger.id, outcome: 'refused' }}>
          Show refused requests
        </OrgLink>
      </Hint>
    </section>
  );
}

function adviceFor({ signature, key }: Trigger): string {
  if (signature) {
    const sender = signature === 'hmac' ? 'the sender' : senderName(signature);
    return `Check that ${sender} signs with this trigger’s secret. If you are not sure, rotate the secret and enter the new one.`;
  }
  const secret = key ? `the API key ${key.name}` : 'this trigger’s secret';
  return `Check that the sender sends ${secret} in the header X-Webhook-Secret.`;
}
