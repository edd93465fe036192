/** Credentials for a NATS server; empty if it requires none. */
type Credentials = { token: string } | { user: string; pass: string } | Record<string, never>;

/** Addresses of NATS servers, and how to connect to them. */
export interface ServerAddresses {
  /** Addresses without credentials, because they are written to logs and errors. */
  servers: string[];
  /** Host names and IP addresses without ports; IPv6 without brackets. */
  hosts: string[];
  credentials: Credentials;
  /** True if nothing may be sent to a server without TLS. */
  insistsOnTls: boolean;
}

const address = /^([a-z]+:\/\/)?(?:(.*)@)?(.*)$/is;

/**
 * Reads addresses separated by commas: `nats://token@host:4222`, `tls://user:password@host`. The client takes
 * credentials and TLS per connection rather than per address, so the first credentials, and a `tls://` of any address,
 * apply to all servers.
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

// A password with a bare % is used as it is.
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
