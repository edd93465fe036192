import { createSecretKey } from 'node:crypto';
import { countText } from '@relata/schemas/count-text';
import type { SecretRule } from './kind.ts';

const bytesMax = 1_024;

interface TextSecret extends Pick<SecretRule, 'isOurs'>, Partial<Pick<SecretRule, 'mistakes'>> {
  charactersMin?: number;
}

/** Returns the rule for a secret that is itself the HMAC key, or that the sender sends as it is. */
export function textSecret({ isOurs, mistakes = [], charactersMin = 8 }: TextSecret): SecretRule {
  return {
    isOurs,
    mistakes,
    keyOf: (secret) => {
      if (secret.length < charactersMin || Buffer.byteLength(secret) > bytesMax) return undefined;
      return /^[\x20-\x7e]+$/.test(secret) && secret.trim() === secret ? createSecretKey(secret, 'utf8') : undefined;
    },
    rule: `Must have ${charactersMin} to ${countText(bytesMax)} visible ASCII characters.`,
  };
}
