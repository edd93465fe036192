/** Codes of the problems that a field can have, with their meaning. */
export const details = {
  required: 'The field is missing.',
  invalid_type: 'The value has the wrong type.',
  invalid_format: 'The value has the wrong format.',
  invalid_enum: 'The value is not one of `allowed`.',
  too_short: 'There are too few characters or items.',
  too_long: 'There are too many characters.',
  too_many: 'There are too many items.',
  out_of_range: 'The number or the time is out of range.',
  unknown_field:
    'The field or parameter does not exist. `suggestion` is the name that you probably meant; if no name is ' +
    'similar, `allowed` lists the existing ones.',
  null_not_allowed: 'The value is `null`, but the field must have a value.',
  invalid_reference: 'This organization has no object with this ID or name.',
  invalid_cursor: 'The cursor does not come from this API, or belongs to another list, order or filter.',
  conflicting_parameters: 'Parameters cannot be combined, or one of them is given twice.',
  unsupported_sort: 'The list cannot be sorted by this. `allowed` lists its orders.',
  unsupported_filter:
    'The list cannot be filtered by this until its index exists. `allowed` lists the filters that work now.',
  conflicting_fields:
    'The field is in two parts of the body that exclude each other, or its value conflicts with that of another field.',
} as const satisfies Record<string, string>;

export type DetailCode = keyof typeof details;

export const detailCodes = Object.keys(details) as [DetailCode, ...DetailCode[]];
