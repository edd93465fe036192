import { type SignatureFault, recognizeMakers, toleranceMs } from '@relata/signatures';
import { Refusal, type UnauthenticatedReason } from '../refusal.ts';

/** Maximum number of seconds that a message shows, since a malformed timestamp may be millennia away. */
const secondsMax = 1e12;

/** Returns the refusal of a request that is not authenticated. Only the operator sees the reason. */
export function unauthenticated(reason: UnauthenticatedReason, message: string, challenge?: string): Refusal {
  return new Refusal('unauthorized', { seen: { reason, message }, challenge });
}

/** Returns the refusal of a request without the expected signature or secret, or with one of another kind. */
export function withoutSignature(place: string, rawHeaders: readonly string[], challenge?: string): Refusal {
  const makers = recognizeMakers(rawHeaders);
  if (makers.length > 0) {
    const signature = makers.map((maker) => (maker.endsWith('s') ? `${maker}'` : `${maker}'s`)).join(' or ');
    return unauthenticated('wrong_kind', `This is ${signature} signature. The trigger expects ${place}.`, challenge);
  }
  const hasSecret = rawHeaders.some((name, at) => at % 2 === 0 && name.toLowerCase() === 'x-webhook-secret');
  if (hasSecret)
    return unauthenticated(
      'wrong_kind',
      `This is a secret in X-Webhook-Secret. The trigger expects ${place}.`,
      challenge,
    );
  return unauthenticated('no_signature', `The request lacks ${place}.`, challenge);
}

/** Returns the refusal of a signature header that is missing, malformed, or has a timestamp outside the tolerance. */
export function unusableSignature(fault: SignatureFault, place: string, rawHeaders: readonly string[]): Refusal {
  if (fault.fault === 'missing') return withoutSignature(place, rawHeaders);
  if (fault.fault === 'invalid')
    return unauthenticated(
      'bad_signature',
      `The signature is malformed, incomplete or sent twice. The trigger expects ${place}.`,
    );
  const seconds = Math.min(Math.ceil(fault.awayMs / 1_000), secondsMax);
  const side = fault.fault === 'stale' ? 'past' : 'future';
  return unauthenticated(
    fault.fault,
    `The time of the signature is ${seconds} s in the ${side}; ${toleranceMs / 1_000} s are accepted.`,
  );
}
