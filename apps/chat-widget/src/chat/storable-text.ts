/** Text the service can hold: no U+0000, no half of a surrogate pair, at most so many UTF-16 units. */
export function storableText(text: string, charsMax: number): string {
  return text.slice(0, charsMax).replaceAll('\u0000', '').toWellFormed();
}
