import { runToEnd, type SlicedWork } from '../time-slices.ts';

/** Fields of a form by name. A repeated name has a list of values. */
type FormFields = Record<string, string | string[]>;

/** Number of characters decoded per step. A step continues to the end of the current field. */
const pieceCharacters = 8_192;

const formType = /^\s*application\/x-www-form-urlencoded\s*(;|$)/i;

/** Returns true if the headers declare the body to be a form. */
export function isForm(headers: { 'content-type'?: string | undefined }): boolean {
  return formType.test(headers['content-type'] ?? '');
}

/** Reads a form, and pauses after each piece so that other work gets its turn. */
export function* readFormFields(text: string): SlicedWork<FormFields> {
  const fields = new Map<string, string | string[]>();
  for (let at = 0; at < text.length;) {
    const next = text.indexOf('&', at + pieceCharacters);
    const end = next === -1 ? text.length : next;
    // URLSearchParams drops a leading `?`. After the `&`, it keeps the `?` as part of the name.
    for (const [name, value] of new URLSearchParams(`&${text.slice(at, end)}`)) addField(fields, name, value);
    at = end + 1;
    yield;
  }
  return Object.fromEntries(fields);
}

function addField(fields: Map<string, string | string[]>, name: string, value: string): void {
  const known = fields.get(name);
  if (known === undefined) fields.set(name, value);
  else if (typeof known === 'string') fields.set(name, [known, value]);
  else known.push(value);
}

/**
 * Returns the JSON in a form whose only field, `payload`, holds an object or list, as GitHub and Slack send it;
 * undefined for any other form.
 */
export function jsonInForm(fields: FormFields): string | undefined {
  const { payload } = fields;
  const isOnly = typeof payload === 'string' && Object.keys(fields).length === 1;
  return isOnly && /^\s*[{[]/.test(payload) ? payload : undefined;
}

/** Reads a whole form at once. */
export const readWholeForm = (text: string): FormFields => runToEnd(readFormFields(text));
