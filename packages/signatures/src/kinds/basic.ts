import { hash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { readAuthorization, type SecretReading } from '../carrier.ts';
import type { ConfiguredKind } from '../kind.ts';
import { secretSender } from '../secret-sender.ts';

export const BasicOptions = z.strictObject({
  user: z
    .string()
    .regex(/^[\x21-\x39\x3b-\x7e]{1,100}$/, 'Must have 1 to 100 visible ASCII characters without spaces and colons.')
    .default('relata'),
});

type BasicOptions = z.output<typeof BasicOptions>;

/** A sender with HTTP Basic authentication. The secret is the password. */
export const basic: ConfiguredKind<BasicOptions, 'secret'> = {
  ...secretSender,
  maker: 'Basic authentication',
  page: 'https://www.rfc-editor.org/rfc/rfc7617',
  options: BasicOptions,
  optionTexts: { user: { label: 'User name', value: 'NAME', text: 'the user name (default: relata)' } },
  configure: ({ user }) => ({
    proof: 'secret',
    place: 'the header Authorization with the scheme Basic',
    headers: ['authorization'],
    authenticate: 'Basic realm="Relata", charset="UTF-8"',
    read: (request) => {
      const read = readAuthorization(request, 'basic');
      return 'secret' in read ? readPassword(read.secret, user) : read;
    },
    write: (secret, url) => {
      const credentials = Buffer.from(`${user}:${secret}`).toString('base64');
      return { url, headers: { authorization: `Basic ${credentials}` } };
    },
  }),
  setup: [
    { text: 'In the sender, add a webhook or an HTTP request with the method POST.' },
    { text: 'URL', shows: 'url' },
    { text: 'Authentication: Basic. User name', shows: 'option', option: 'user' },
    { text: 'Password', shows: 'secret' },
    {
      text: 'Send a test request. Some senders send the password only after a first 401, so Relata also counts a refusal for each of their requests.',
    },
  ],
};

/** Reads the password of this user; the user is compared in constant time too. */
function readPassword(credentials: string, user: string): SecretReading {
  const text = /^[A-Za-z0-9+/]+={0,2}$/.test(credentials) ? Buffer.from(credentials, 'base64').toString('utf8') : '';
  const colon = text.indexOf(':');
  const isUser = timingSafeEqual(digest(text.slice(0, Math.max(colon, 0))), digest(user));
  return colon >= 0 && isUser ? { secret: text.slice(colon + 1) } : { fault: 'invalid' };
}

const digest = (text: string) => hash('sha256', text, 'buffer');
