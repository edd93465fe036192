import type { Sample } from './kind.ts';
import { textSecret } from './text-secret.ts';

/** Members of every kind whose senders send the secret itself and have no vendor. */
export const secretSender = {
  proof: 'secret',
  warning:
    'A sender of this kind does not sign. Anyone who reads one of its requests can send it again, or send other requests with its secret. Use HTTPS only. If the sender can sign, choose a kind that signs.',
  // Only the hash of the secret is stored, from which a short secret could be guessed.
  secret: textSecret({ isOurs: true, charactersMin: 16 }),
  repeatKey: null,
  sample: (id: string): Sample => ({
    body: {
      id,
      email: 'ada@example.com',
      name: 'Ada Lovelace',
      company: 'Example Robotics',
      message: 'We would like a demo.',
    },
  }),
} as const;
