import { z } from 'zod';
import { readSecretKey, type SecretKeys } from './secret-keys.ts';

const keysMax = 10;

/** What the secrets of organizations are encrypted with; without it none can be set or used. */
export const secretsSettings = {
  SECRETS_KEY: z
    .string()
    .transform((text, ctx): SecretKeys => {
      const keys = text.split(',').map((part) => readSecretKey(part.trim()));
      const [first, ...others] = keys.filter((key) => key !== undefined);
      if (first && others.length === keys.length - 1 && keys.length <= keysMax) return [first, ...others];
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
      description:
        'Encrypts the secrets of organizations: 32 bytes in base64 or hex (`openssl rand -base64 32`). Several are separated by commas: the first encrypts, all decrypt. Without it no secret can be set or used.',
      secret: true,
    }),
};
