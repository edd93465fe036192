import { ChannelError } from './channel.error.ts';
import { cleanText, hasInk, onOneLine } from './clean-text.ts';
import { cutToFit } from './cut-to-fit.ts';

export interface FormField {
  label: string;
  value: string;
}

export interface FormNote {
  label: string;
  text: string;
}

/** A completed form. The caller writes the title, the labels and `whole`; a visitor writes the values and the note. */
export interface Form {
  /** Title of 1 to 30 characters. */
  title: string;
  /**
   * 1 to 10 fields, with labels of 1 to 40 characters. A value is shown on one line. A field is left out if its value
   * has no visible characters.
   */
  fields: readonly FormField[];
  /** Free text of any length, shown last and with its line breaks. */
  note?: FormNote | undefined;
  /** Text of at most 100 characters that says where to find the whole form. It is shown if the form was cut. */
  whole: string;
}

/** A form whose parts are clean and within the limits of every channel. */
export interface ReadForm extends Form {
  /** True if `readForm` has cut a part. */
  isCut: boolean;
}

const titleCharsMax = 30;
const labelCharsMax = 40;
const wholeCharsMax = 100;
const fieldsMax = 10;

/**
 * Maximum length of a value, and of all values, in characters. Values of this length fit in every channel. Slack allows
 * 2,000 characters per field, and an escaped character takes up to 5. Discord allows 6,000 per message, and an escaped
 * character takes 2, which leaves room for a note.
 */
const valueCharsMax = 400;
const valuesCharsMax = 2_400;

const noteCharsMax = 10_000;

/**
 * Cleans a form and cuts its values. Throws `ChannelError` if the form exceeds a limit of `Form`, or has nothing to
 * show.
 */
export function readForm({ title, fields, note, whole }: Form): ReadForm {
  if (fields.length > fieldsMax) throw invalidForm(`more than ${fieldsMax} fields`);
  const charsMax = Math.min(valueCharsMax, Math.floor(valuesCharsMax / fields.length));
  const values = fields.map(({ label, value }) => ({
    label: ownWords(label, labelCharsMax),
    ...cut(onOneLine(value), charsMax),
  }));
  const shown = values.filter(({ text }) => hasInk(text));
  if (shown.length === 0) throw invalidForm('nothing to show');
  const text = cut(cleanText(note?.text ?? ''), noteCharsMax);
  return {
    title: ownWords(title, titleCharsMax),
    fields: shown.map(({ label, text: value }) => ({ label, value })),
    note: note && hasInk(text.text) ? { label: ownWords(note.label, labelCharsMax), text: text.text } : undefined,
    whole: ownWords(whole, wholeCharsMax),
    isCut: [...shown, text].some(({ isCut }) => isCut),
  };
}

function cut(text: string, charsMax: number): { text: string; isCut: boolean } {
  return { text: cutToFit(text, ({ length }) => length <= charsMax), isCut: text.length > charsMax };
}

function ownWords(text: string, charsMax: number): string {
  const line = onOneLine(text);
  if (line === '' || line.length > charsMax) throw invalidForm(`a name that is empty or over ${charsMax} characters`);
  return line;
}

const invalidForm = (fault: string) =>
  new ChannelError('invalid_text', `The form has ${fault}.`, { isRetryable: false });
