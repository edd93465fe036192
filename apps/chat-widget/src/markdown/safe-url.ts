const protocols = new Set(['http:', 'https:', 'mailto:']);

/**
 * The address of a link that may be shown, normalized; undefined for every other scheme, for what is no absolute
 * address, and for one that carries a name before an @, which only ever hides the host.
 */
export function safeUrl(text: string): string | undefined {
  const url = parse(text);
  if (!url || !protocols.has(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  return url.href;
}

/** The host of an address for a visitor to read. */
export function hostOf(url: string): string {
  return parse(url)?.hostname.replace(/^www\./, '') ?? '';
}

function parse(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
