let token: string | undefined;

/** Takes the one-time token out of the address, so that neither it nor the history has it any more. */
export function takeLinkToken(): void {
  const { pathname, search, hash } = location;
  if (!pathname.endsWith('/enter') || hash.length < 2) return;
  token = hash.slice(1);
  history.replaceState(null, '', pathname + search);
}

/** The token that was in the address; kept by this page alone, and only until it is redeemed. */
export function linkToken(): string | undefined {
  return token;
}

export function forgetLinkToken(): void {
  token = undefined;
}
