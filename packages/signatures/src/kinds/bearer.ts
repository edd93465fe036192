import { readAuthorization, replayWarning } from '../carrier.ts';
import type { UnsignedKind } from '../kind.ts';
import { sampleForm } from '../sample-form.ts';
import { repeatedSecret } from '../text-secret.ts';

/** A sender that sends `Authorization: Bearer SECRET`. */
export const bearer: UnsignedKind = {
  proof: 'secret',
  place: 'the header Authorization with the scheme Bearer',
  headers: ['authorization'],
  read: (request) => readAuthorization(request, 'bearer'),
  write: (secret, url) => ({ url, headers: { authorization: `Bearer ${secret}` } }),
  maker: 'Bearer token',
  page: 'https://www.rfc-editor.org/rfc/rfc6750#section-2.1',
  warning: replayWarning,
  secret: repeatedSecret,
  repeatKey: null,
  challenge: null,
  setup: [
    { text: 'In the sender, add a webhook or an HTTP request with the method POST.' },
    { text: 'URL', shows: 'url' },
    { text: 'Authentication: Bearer token. Token', shows: 'secret' },
    { text: 'Send a test request.' },
  ],
  sample: sampleForm,
};
