import { z } from 'zod';
import { deriveKey, readSecretKey, type SecretKey, type SecretKeys } from './secret-keys.ts';

const keysMax = 10;

interface KeysSetting {
  /** What the keys do, as the beginning of a sentence that goes on with how they are written. */
  does: string;
  without: string;
  made?: (key: SecretKey) => SecretKey;
}

function keysSetting({ does, without, made = (key) => key }: KeysSetting) {
  return z
    .string()
    .transform((text, ctx): SecretKeys => {
      const keys = text.split(',').map((part) => readSecretKey(part.trim()));
      const [first, ...others] = keys.filter((key) => key !== undefined);
      if (first && others.length === keys.length - 1 && keys.length <= keysMax)
        return [made(first), ...others.map(made)];
      // Zod keeps the input of an issue; it is the key.
      ctx.issues.push({
        code: 'custom',
        message: `must be 32 bytes in base64 or hex (openssl rand -base64 32), or up to ${keysMax} of those separated by commas.`,
        input: undefined,
      });
      return z.NEVER;
    })
    .optional()
    .meta({
      description: `${does}: 32 bytes in base64 or hex (\`openssl rand -base64 32\`). Several are separated by commas: the first encrypts, all decrypt. ${without}`,
      secret: true,
    });
}

/** What the secrets of organizations are encrypted with; without it none can be set or used. */
export const secretsSettings = {
  SECRETS_KEY: keysSetting({
    does: 'Encrypts the secrets of organizations',
    without: 'Without it no secret can be set or used.',
  }),
};

/**
 * What the secrets of senders who sign are encrypted with. The receiver has these keys, and so they are others than those
 * of what workflows send: one who breaks into the process that strangers post to can read none of that.
 */
export const signingSettings = {
  SIGNING_KEYS: keysSetting({
    does: 'Encrypts the secrets of webhook senders who sign, for the receiver, the console and the tool',
    without: 'Without it no signed trigger can be created, and those there are answer 503.',
    made: (key) => deriveKey(key, 'relata sender secrets'),
  }),
};
