/** What a NATS server asks of its clients; nothing where it is open to all. */
type Credentials = { token: string } | { user: string; pass: string } | Record<string, never>;

/** Where NATS is, and what opens it. */
export interface ServerAddresses {
  /** Without credentials: addresses are written to logs and errors. */
  servers: string[];
  /** Names and numbers without ports, those of IPv6 without brackets. */
  hosts: string[];
  credentials: Credentials;
  /** Nothing is sent to a server that offers no TLS. */
  insistsOnTls: boolean;
}

const address = /^([a-z]+:\/\/)?(?:(.*)@)?(.*)$/is;

/**
 * Reads one or more addresses, separated by commas: `nats://token@host:4222`, `tls://user:password@host`. The client
 * takes credentials and TLS for a connection and not from an address: the credentials that come first hold for all
 * servers, and so does a `tls://`.
 */
export function readAddresses(url: string): ServerAddresses {
  const parts = url.split(',').map((one) => address.exec(one.trim())!);
  const [given] = parts.flatMap(([, , userInfo]) => (userInfo ? [readCredentials(userInfo)] : []));
  return {
    servers: parts.map(([, scheme = '', , host = '']) => `${scheme}${host}`),
    hosts: parts.map(([, , , host = '']) => hostOf(host)),
    credentials: given ?? {},
    insistsOnTls: parts.some(([, scheme = '']) => scheme.toLowerCase() === 'tls://'),
  };
}

function hostOf(authority: string): string {
  return (URL.parse(`nats://${authority}`)?.hostname ?? '').replace(/^\[(.*)\]$/, '$1');
}

function readCredentials(userInfo: string): Credentials {
  const colon = userInfo.indexOf(':');
  if (colon === -1) return { token: decode(userInfo) };
  return { user: decode(userInfo.slice(0, colon)), pass: decode(userInfo.slice(colon + 1)) };
}

// A password with a bare % in it is used as it is.
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
