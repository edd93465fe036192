import { z } from 'zod';

/** Headers that belong to the connection or to the body. */
const taken = /^(host|connection|content-(length|type|encoding)|transfer-encoding|expect|upgrade|cookie)$/;

/** Name of a header, in lower case. */
export const headerName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/, 'Must be the name of a header: letters, digits, - and _.')
  .transform((name) => name.toLowerCase())
  .refine((name) => !taken.test(name), 'Must not be a standard HTTP header.');
