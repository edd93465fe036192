/** A one-time token and its number, which identifies it in places that must not contain the token. */
export interface LinkToken {
  readonly token: string;
  readonly number: number;
}

let taken: LinkToken | undefined;
let count = 0;

/** Takes the one-time token out of the address, so that neither it nor the history has it any more. */
export function takeLinkToken(): void {
  const { pathname, search, hash } = location;
  if (!pathname.endsWith('/enter') || hash.length < 2) return;
  taken = { token: hash.slice(1), number: ++count };
  history.replaceState(null, '', pathname + search);
}

/** The token that was in the address; kept by this page alone, and only until it is redeemed. */
export function linkToken(): LinkToken | undefined {
  return taken;
}

export function forgetLinkToken(): void {
  taken = undefined;
}
