// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** With these a text is shown in another order than it is written in, so that an address reads as another one. */
const directionChanges = /[\u202a-\u202e\u2066-\u2069]/g;

/** Text that every channel takes: well-formed, its lines ended by `\n`, without what cannot be seen but acts. */
export function cleanText(text: string): string {
  return text.toWellFormed().replace(/\r\n?/g, '\n').replace(controls, '').replace(directionChanges, '').trim();
}
