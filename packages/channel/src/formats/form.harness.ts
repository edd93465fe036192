import { type Form, type ReadForm, readForm } from '../read-form.ts';

/** A form as an app posts it, read as the channel reads it. */
export function formOf({
  fields,
  ...parts
}: Partial<Omit<Form, 'fields'>> & { fields?: Record<string, string> }): ReadForm {
  return readForm({
    title: 'Demo request',
    fields: Object.entries(fields ?? { Name: 'Ada' }).map(([label, value]) => ({ label, value })),
    whole: 'relata demo-requests show 42',
    ...parts,
  });
}

/** As many fields as there may be, with labels and values as long as they may be, and a note that is too long. */
export function fullForm(text: string): ReadForm {
  const labels = Array.from({ length: 10 }, (_, i) => `${i} ${'&'.repeat(38)}`);
  return formOf({
    title: '&'.repeat(30),
    fields: Object.fromEntries(labels.map((label) => [label, text.repeat(2_048)])),
    note: { label: '&'.repeat(40), text: text.repeat(100_000) },
  });
}

/** What takes the most room once it is escaped or encoded, in one channel or the other. */
export const roomy = ['&', '<', '\\', '*', '"', '界', '😀', '](', '{{', '&a', 'a\n'];
