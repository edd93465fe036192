/** Codes of the problems that a field can have, with their meaning. */
export const details = {
  required: 'The field is missing.',
  invalid_type: 'The value is of another type.',
  invalid_format: 'The value is not written as it must be.',
  invalid_enum: 'The value is none of `allowed`.',
  too_short: 'There are too few characters or items.',
  too_long: 'There are too many characters.',
  too_many: 'There are too many items.',
  out_of_range: 'The number or the instant is outside the bounds.',
  unknown_field:
    'There is no such field or parameter. `suggestion` is the one that was probably meant; where none is near, ' +
    '`allowed` has those that there are.',
  null_not_allowed: 'The value is `null`, and the field must have one.',
  invalid_reference: 'The id or the name belongs to nothing in this organization.',
  invalid_cursor: 'The cursor did not come from an answer of this API.',
  conflicting_parameters: 'Parameters exclude each other.',
} as const satisfies Record<string, string>;

export type DetailCode = keyof typeof details;

export const detailCodes = Object.keys(details) as [DetailCode, ...DetailCode[]];
