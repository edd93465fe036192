/** A one-time token and its number, which identifies it where the token must not appear. */
export interface LinkToken {
  readonly token: string;
  readonly number: number;
}

let taken: LinkToken | undefined;
let count = 0;

/** Moves the one-time token from the address into memory, so that the browser's history does not contain it. */
export function takeLinkToken(): void {
  const { pathname, search, hash } = location;
  if (!pathname.endsWith('/enter') || hash.length < 2) return;
  taken = { token: hash.slice(1), number: ++count };
  history.replaceState(null, '', pathname + search);
}

/** Returns the token from the address. Only this page keeps it, until it is redeemed. */
export function linkToken(): LinkToken | undefined {
  return taken;
}

export function forgetLinkToken(): void {
  taken = undefined;
}
