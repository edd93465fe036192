import { z } from 'zod';
import { deriveKey, readEncryptionKey, type EncryptionKey, type EncryptionKeys } from './encryption-keys.ts';

const keysMax = 10;

interface KeysSetting {
  /** Purpose of the keys, as the beginning of a sentence that continues with their format. */
  does: string;
  without: string;
  made?: (key: EncryptionKey) => EncryptionKey;
}

function keysSetting({ does, without, made = (key) => key }: KeysSetting) {
  return z
    .string()
    .transform((text, ctx): EncryptionKeys => {
      const keys = text.split(',').map((part) => readEncryptionKey(part.trim()));
      const [first, ...others] = keys.filter((key) => key !== undefined);
      if (first && others.length === keys.length - 1 && keys.length <= keysMax)
        return [made(first), ...others.map(made)];
      // Zod would keep the input of an issue, which is the key.
      ctx.issues.push({
        code: 'custom',
        message: `must be 32 bytes in base64 or hex (openssl rand -base64 32), or up to ${keysMax} such keys separated by commas.`,
        input: undefined,
      });
      return z.NEVER;
    })
    .optional()
    .meta({
      description: `${does}: 32 bytes in base64 or hex (\`openssl rand -base64 32\`). Separate several keys by commas: the first encrypts, all decrypt. ${without}`,
      secret: true,
    });
}

/** Keys that encrypt the secrets of organizations. Without them no secret can be set or used. */
export const secretsSettings = {
  SECRETS_KEY: keysSetting({
    does: 'Encrypts the secrets of organizations',
    without: 'Without it, no secret can be set or used.',
  }),
};

/**
 * Keys that encrypt the secrets of senders that sign. The receiver has these keys, and anybody can post to it. So they
 * differ from the keys for the secrets that workflows send: an attacker in the receiver cannot read those secrets.
 */
export const signingSettings = {
  SIGNING_KEYS: keysSetting({
    does: 'Encrypts the secrets of webhook senders that sign; used by the receiver, the console and the CLI',
    without: 'Without it, no signed trigger can be created, and existing ones answer 503.',
    made: (key) => deriveKey(key, 'relata sender secrets'),
  }),
};

/**
 * Keys that encrypt the team channels of organizations. They are separate, so that the console does not need the keys
 * for the secrets of workflows, and the worker does not need the keys for the secrets of senders.
 */
export const notifySettings = {
  NOTIFY_KEYS: keysSetting({
    does: 'Encrypts the team channels of organizations; used by the worker, the console and the CLI',
    without: 'Without it, no channel can be set, and nothing is posted to existing ones.',
    made: (key) => deriveKey(key, 'relata team channels'),
  }),
};
