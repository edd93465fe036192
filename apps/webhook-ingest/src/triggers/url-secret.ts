import type { IncomingMessage } from 'node:http';
import type { TriggerSnapshot } from './trigger-snapshot.ts';

/** Number of times that a header is decoded, since a proxy may pass on the URL as a parameter of another URL. */
const decodingsMax = 3;

/**
 * Deletes headers in which a proxy repeats the secret of the URL, so that the secret is not stored. All headers are
 * searched, since proxies use many names for such headers.
 */
export function dropUrlSecret({ sender }: TriggerSnapshot, { rawHeaders, headers, url = '' }: IncomingMessage): void {
  if (sender?.proof !== 'secret' || sender.name !== 'query') return;
  const read = sender.kind.read({ rawHeaders, url });
  if (!('secret' in read)) return;
  for (const name in headers) if (isRepeated(String(headers[name]), read.secret)) delete headers[name];
}

/** Returns true if a text contains the secret, even percent-encoded. In a URL, a plus sign can stand for a space. */
function isRepeated(text: string, secret: string): boolean {
  const spaced = secret.replaceAll('+', ' ');
  let decoded = text;
  for (let times = 0; times <= decodingsMax; times++) {
    if (decoded.replaceAll('+', ' ').includes(spaced)) return true;
    decoded = decoded.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  }
  return false;
}
