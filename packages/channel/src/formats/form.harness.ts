import { type Form, type ReadForm, readForm } from '../read-form.ts';

/** Returns an example form, cleaned by `readForm`. */
export function exampleForm({
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

/**
 * Returns a form with the maximum number of fields, labels and values of maximum length, and a note that is too long.
 */
export function fullForm(text: string): ReadForm {
  const labels = Array.from({ length: 10 }, (_, i) => `${i} ${'&'.repeat(38)}`);
  return exampleForm({
    title: '&'.repeat(30),
    fields: Object.fromEntries(labels.map((label) => [label, text.repeat(2_048)])),
    note: { label: '&'.repeat(40), text: text.repeat(100_000) },
  });
}

/** Texts that grow most when they are escaped or encoded for one of the channels. */
export const roomy = ['&', '<', '\\', '*', '"', '界', '😀', '](', '{{', '&a', 'a\n'];
