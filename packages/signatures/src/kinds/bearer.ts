import { readAuthorization } from '../carrier.ts';
import type { UnsignedKind } from '../kind.ts';
import { secretSender } from '../secret-sender.ts';

/** A sender that sends `Authorization: Bearer SECRET`. */
export const bearer: UnsignedKind = {
  ...secretSender,
  place: 'the header Authorization with the scheme Bearer',
  headers: ['authorization'],
  read: (request) => readAuthorization(request, 'bearer'),
  write: (secret, url) => ({ url, headers: { authorization: `Bearer ${secret}` } }),
  maker: 'Bearer token',
  page: 'https://www.rfc-editor.org/rfc/rfc6750#section-2.1',
  setup: [
    { text: 'In the sender, add a webhook or an HTTP request with the method POST.' },
    { text: 'URL', shows: 'url' },
    { text: 'Authentication: Bearer token. Token', shows: 'secret' },
    { text: 'Send a test request.' },
  ],
};
