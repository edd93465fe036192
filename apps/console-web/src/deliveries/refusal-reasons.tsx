import type { AnswerOf, Trigger } from '../api/types.ts';
import { countText } from '../ui/data/count.ts';
import { Ago } from '../ui/data/time.tsx';

type Counts = AnswerOf<'countRefusals'>['data'];

const words: Record<string, string> = {
  unauthorized: 'wrong or missing secret',
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
