import { validationError } from '@relata/schemas/errors';

/** Returns the error for an invalid field of a trigger. The message must not quote its value, which may be a secret. */
export const invalidField = (field: 'keyId' | 'secret' | 'verifyToken', message: string) =>
  validationError([{ in: 'body', field, code: 'invalid_format', message }]);
