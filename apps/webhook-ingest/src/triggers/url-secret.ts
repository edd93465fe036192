import type { IncomingMessage } from 'node:http';
import type { TriggerSnapshot } from './trigger-snapshot.ts';

/** Number of times a header is decoded: a proxy may pass on the URL as a parameter of another one. */
const decodingsMax = 3;

/**
 * Deletes the headers in which a proxy repeats the secret of the URL, so that it is not stored with the others. Proxies
 * have many names for such headers.
 */
export function dropUrlSecret({ sender }: TriggerSnapshot, { rawHeaders, headers, url = '' }: IncomingMessage): void {
  if (sender?.way !== 'repeats' || sender.name !== 'query') return;
  const read = sender.kind.read({ rawHeaders, url });
  if (!('secret' in read)) return;
  for (const name in headers) if (isRepeated(String(headers[name]), read.secret)) delete headers[name];
}

/** Returns true if a text contains the secret, as it is or percent-encoded. A space may be a plus sign in a URL. */
function isRepeated(text: string, secret: string): boolean {
  const spaced = secret.replaceAll('+', ' ');
  let decoded = text;
  for (let times = 0; times <= decodingsMax; times++) {
    if (decoded.replaceAll('+', ' ').includes(spaced)) return true;
    decoded = decoded.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  }
  return false;
}
