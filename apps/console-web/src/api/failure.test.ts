import { expect, test } from 'vitest';
import { ApiFailure, fieldFaults, placedText } from './failure.ts';

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
  ['too_many', 'Must have at most 20 items.', 'Enter at most 20.'],
  ['too_short', 'Must have at least 12 characters.', 'Must have at least 12 characters.'],
])('a field error says what to do: %s “%s” becomes “%s” (found B14)', (code, message, shown) =>
  expect(fieldFaults(failureWith(code, message), 'scopes')).toBe(shown),
);

test.each([
  ['steps[1].with.set.email', 'Step 2, with.set.email: Is wrong.'],
  ['steps[0].steps[2].use', 'Step 1, step 3, use: Is wrong.'],
  ['$.items[0]', 'Item 1: Is wrong.'],
  ['contact_ids.0', 'contact_ids, item 1: Is wrong.'],
  ['steps[0].with.body.tags[3].name', 'Step 1, with.body.tags, item 4, name: Is wrong.'],
  ['line2.address', 'line2.address: Is wrong.'],
  ['email', 'email: Is wrong.'],
  ['$', 'Is wrong.'],
  ['', 'Is wrong.'],
])('the location of a problem at %s is given in words, counted from 1 (found B14)', (field, shown) =>
  expect(placedText({ field, code: 'invalid_format', message: 'Is wrong.' })).toBe(shown),
);
