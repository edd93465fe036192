import type { AnswerOf, Trigger } from '../api/types.ts';
import { countText } from '../ui/data/count.ts';
import { Ago } from '../ui/data/time.tsx';

type Counts = AnswerOf<'countRefusals'>['data'];

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

export function reasonText(reason: string, signature?: Trigger['signature']): string {
  if (reason === 'unauthorized' && signature) return 'wrong or missing signature';
  return words[reason] ?? reason.replaceAll('_', ' ');
}

/** Reasons of requests that did not prove their sender. */
export const unprovenReasons: ReadonlySet<string> = new Set([
  'unauthorized',
  'no_signature',
  'bad_signature',
  'wrong_kind',
]);

export function RefusalCounts({ counts, signature }: { counts: Counts; signature?: Trigger['signature'] | undefined }) {
  return (
    <ul aria-label="Reasons for refusals">
      {counts.map(({ reason, refused, last_refused_at: at }) => (
        <li key={reason}>
          {countText(refused)} × {reasonText(reason, signature)}, last <Ago time={at} />
        </li>
      ))}
    </ul>
  );
}
