const protocols = new Set(['http:', 'https:', 'mailto:']);

/**
 * Returns the normalized address of an http, https or mailto link. Returns undefined for other schemes, for relative
 * addresses, and for addresses with a user name, which can only hide the host.
 */
export function safeUrl(text: string): string | undefined {
  const url = parse(text);
  if (!url || !protocols.has(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  return url.href;
}

/** Returns the host of an address without `www.`; '' if it has none. */
export function shownHost(url: string): string {
  return parse(url)?.hostname.replace(/^www\./, '') ?? '';
}

function parse(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
