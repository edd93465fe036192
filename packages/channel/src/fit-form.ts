import { onOneLine } from './clean-text.ts';
import { cutToFit } from './cut-to-fit.ts';
import type { FormField, FormNote, ReadForm } from './read-form.ts';

export interface ShownForm {
  title: string;
  fields: readonly FormField[];
  note: FormNote | undefined;
  /** Text that says where to find the whole form; undefined if nothing was cut. */
  footer: string | undefined;
}

/** Returns as much of a form as fits. Only the note is cut, since the fields always fit. */
export function fitForm({ isCut, whole, ...form }: ReadForm, fits: (shown: ShownForm) => boolean): ShownForm {
  const { title, fields, note } = form;
  const shown = { title, fields, note, footer: undefined };
  if (!isCut && fits(shown)) return shown;
  const cut = { ...shown, footer: `Shortened. In full: ${whole}` };
  if (!note) return cut;
  const withNote = (text: string) => ({ ...cut, note: { ...note, text } });
  return withNote(cutToFit(note.text, (text) => fits(withNote(text))));
}

/** Returns a form as plain text, for notifications: one line per field. Line breaks in a value become spaces. */
export function summarizeForm({ title, fields, note, footer }: ShownForm): string {
  const lines = fields.map(({ label, value }) => `${label}: ${value}`);
  if (note) lines.push(`${note.label}: ${onOneLine(note.text)}`);
  return [title, ...lines, ...(footer ? [footer] : [])].join('\n');
}
