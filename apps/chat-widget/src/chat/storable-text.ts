/**
 * Returns text that the service can store: without U+0000 and unpaired surrogates, and of at most `charsMax` UTF-16
 * units.
 */
export function storableText(text: string, charsMax: number): string {
  return text.slice(0, charsMax).replaceAll('\u0000', '').toWellFormed();
}
