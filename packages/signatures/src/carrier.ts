/** The parts of a request that may carry a secret. */
export interface CarryingRequest {
  /** Names and values in turn, as received. */
  rawHeaders: readonly string[];
  url: string;
}

/**
 * Result of reading a secret. `missing`: there is no secret. `invalid`: it is malformed or repeated, or the user is
 * wrong.
 */
export type SecretReading = { secret: string } | { fault: 'missing' | 'invalid' };

/** How a sender that does not sign sends the secret itself with every post. */
export interface SecretCarrier {
  proof: 'secret';
  /** Place of the secret, as in the message “The request lacks PLACE”. */
  place: string;
  /** Lower-case names of the headers that carry the secret. */
  headers: readonly string[];
  /** Value of `WWW-Authenticate` in a 401; undefined if no sender needs it. */
  authenticate?: string;
  read(request: CarryingRequest): SecretReading;
  /** Returns the headers and the URL with which a sender posts the secret. */
  write(secret: string, url: string): { headers: Record<string, string>; url: string };
}

export function valuesOf(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    if (rawHeaders[at]!.length === name.length && rawHeaders[at]!.toLowerCase() === name)
      values.push(rawHeaders[at + 1]!);
  return values;
}

/** Reads the secret from a value that must occur exactly once. */
export function readOne(values: readonly string[], read: (value: string) => SecretReading): SecretReading {
  const [value, ...others] = values;
  if (value === undefined) return { fault: 'missing' };
  return others.length > 0 ? { fault: 'invalid' } : read(value);
}

/** Reads the credentials of a scheme from the header Authorization. The case of the scheme's name does not matter. */
export function readAuthorization({ rawHeaders }: CarryingRequest, scheme: string): SecretReading {
  return readOne(valuesOf(rawHeaders, 'authorization'), (value) => {
    const [, name, secret] = /^(\S+) +(\S+)$/.exec(value.trim()) ?? [];
    return name?.toLowerCase() === scheme ? { secret: secret! } : { fault: 'missing' };
  });
}
