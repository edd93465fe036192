import { isStorable } from '@relata/schemas';
import { type ErrorDetail, validationError } from '@relata/schemas/errors';

export const secretsMax = 100;
const valueBytesMax = 8_192;

const namePattern = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

export interface NewSecret {
  /** Name as used in expressions: `secrets.NAME`. */
  name: string;
  value: string;
}

/** Throws an AppError for an invalid name or value; its message does not quote the value. */
export function checkSecret({ name, value }: NewSecret): void {
  const details = [...nameProblems(name), ...valueProblems(value)];
  if (details.length > 0) throw validationError(details);
}

function nameProblems(name: string): ErrorDetail[] {
  if (namePattern.test(name)) return [];
  const message = 'May contain only letters, digits and _ (at most 64), and must begin with a letter or _.';
  return [{ in: 'body', field: 'name', code: 'invalid_format', message }];
}

function valueProblems(value: string): ErrorDetail[] {
  const at = { in: 'body', field: 'value' } as const;
  if (value === '') return [{ ...at, code: 'too_short', message: 'Must not be empty.' }];
  if (Buffer.byteLength(value) > valueBytesMax)
    return [{ ...at, code: 'too_long', message: `Must have at most ${valueBytesMax} bytes.` }];
  if (isStorable(value)) return [];
  return [{ ...at, code: 'invalid_format', message: 'Must not contain U+0000 or an unpaired surrogate.' }];
}
