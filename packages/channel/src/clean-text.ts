// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** With these a text is shown in another order than it is written in, so that an address reads as another one. */
const directionChanges = /[\u202a-\u202e\u2066-\u2069]/g;

/** What takes no room, but makes words differ that look the same. The tags at the end also make three flags. */
const unseen = /[\u00ad\u180e\u200b\u2060-\u2064\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Text that every channel takes: well-formed, its lines ended by `\n`, without what cannot be seen but acts. */
export function cleanText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(controls, '')
    .replace(directionChanges, '')
    .replace(unseen, '')
    .trim();
}

/** Clean text without line breaks, and without rows of spaces that would end in one. */
export function onOneLine(text: string): string {
  return cleanText(text).replace(/\s+/g, ' ');
}

/** Whether there is anything to see: letters that are blank by design, such as the Hangul fillers, are nothing. */
export function hasInk(text: string): boolean {
  return /[^\s\p{Cc}\p{Cf}\u115f\u1160\u2800\u3164\uffa0]/u.test(text);
}
