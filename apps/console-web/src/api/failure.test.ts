import { expect, test } from 'vitest';
import { ApiFailure, faultsOf } from './failure.ts';

const failureWith = (code: string, message: string) =>
  new ApiFailure(400, {
    error: 'validation_error',
    message: '1 field is invalid.',
    details: [{ field: 'scopes', code, message }],
  });

test.each([
  ['required', 'Is required.', 'This field is required.'],
  ['too_short', 'Must have at least 1 character.', 'This field is required.'],
  ['too_short', 'Must have at least 1 item.', 'Select at least one.'],
  ['too_short', 'Must have at least 12 characters.', 'Must have at least 12 characters.'],
])('a field at fault says what to do: %s “%s” becomes “%s” (found B14)', (code, message, shown) =>
  expect(faultsOf(failureWith(code, message), 'scopes')).toBe(shown),
);
