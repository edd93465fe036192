import type { OutputOf, Trigger } from '../api/types.ts';
import { countText } from '../ui/data/count.ts';
import { RelativeTime } from '../ui/data/time.tsx';

type Counts = OutputOf<'countRefusals'>['data'];

const words: Record<string, string> = {
  unauthorized: 'wrong or missing secret',
  no_signature: 'no signature',
  bad_signature: 'wrong signature',
  wrong_kind: 'signature of another sender',
  stale: 'timestamp too old',
  future: 'timestamp in the future',
  wrong_verify_token: 'URL checked with a wrong verify token',
  rate_limited: 'too many requests',
  payload_too_large: 'body too large',
  not_json: 'body is not JSON',
  body_incomplete: 'body arrived incomplete',
  invalid_json: 'body is not JSON',
  too_complex: 'body has too many fields or levels',
  invalid_input: 'missing or invalid workflow input',
  service_unavailable: 'service unavailable',
  request_timeout: 'body sent too slowly',
};

/** Returns a reason in plain words. Without `sender`, the text does not say whether a signature or a secret is used. */
export function reasonText(reason: string, sender?: Trigger['sender']): string {
  const text = words[reason] ?? reason.replaceAll('_', ' ');
  if (!proofReasons.has(reason)) return text;
  if (reason === 'unauthorized') return sender?.is_signed ? text.replace('secret', 'signature') : text;
  const proof = sender ? (sender.is_signed ? 'signature' : 'secret') : 'signature or secret';
  return text.replace('signature', proof);
}

/** Reasons whose words depend on whether the sender sends a signature or a secret. */
const proofReasons: ReadonlySet<string> = new Set(['unauthorized', 'no_signature', 'bad_signature']);

export function RefusalCounts({ counts }: { counts: Counts }) {
  return (
    <ul aria-label="Reasons for refusals">
      {counts.map(({ reason, refused, last_refused_at: at }) => (
        <li key={reason}>
          {countText(refused)} × {reasonText(reason)}, last <RelativeTime time={at} />
        </li>
      ))}
    </ul>
  );
}
