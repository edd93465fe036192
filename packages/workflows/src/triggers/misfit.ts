import { validationError } from '@relata/schemas/errors';

/** Returns the error for a field that does not fit the trigger. Do not quote its value, which may be a secret. */
export const misfit = (field: 'keyId' | 'secret' | 'verifyToken', message: string) =>
  validationError([{ in: 'body', field, code: 'invalid_format', message }]);
