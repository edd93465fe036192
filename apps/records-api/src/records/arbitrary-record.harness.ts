import { countCharacters, type DeclaredResource, isStorable } from '@relata/schemas';
import fc from 'fast-check';

type Fields = Record<string, unknown>;

/** Generates any text that can be stored, in all scripts, with control characters and emoji. */
const text = (min: number, max: number) =>
  fc
    .string({ unit: 'binary', minLength: min, maxLength: Math.min(max, 40) })
    .filter((value) => isStorable(value) && countCharacters(value) <= max);

const exactly = (length: number) => fc.constantFrom('x', 'ß', '漢', '🦾').map((unit) => unit.repeat(length));

const name = fc.oneof({ weight: 9, arbitrary: text(1, 255) }, { weight: 1, arbitrary: exactly(255) });
const line = fc.oneof({ weight: 9, arbitrary: text(0, 2_048) }, { weight: 1, arbitrary: exactly(2_048) });
const tags = fc.array(fc.oneof(text(1, 100), exactly(100)), { maxLength: 100, size: 'small' });
const email = fc.emailAddress().filter((value) => !value.includes('"'));
const amount = fc.integer({ min: -(10 ** 14), max: 10 ** 14 }).map((units) => units / 10_000);

const optional = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.record(fields, { requiredKeys: [] });
const lines = (...names: string[]) => Object.fromEntries(names.map((field) => [field, line]));

/**
 * Resources that API clients create and change. If values for a resource are missing below, the code does not compile.
 */
export type ChangedResource = Extract<DeclaredResource, { operations: { upsert: unknown } }>['plural'];

/** Valid bodies, as a client might send them. */
export const valid: Record<ChangedResource, fc.Arbitrary<Fields>> = {
  accounts: withRequired(
    { account_name: name },
    {
      ...lines('domain', 'linkedin_url', 'address', 'city', 'state', 'country', 'icp_label'),
      relationship_type: fc.constantFrom('prospect', 'customer', 'partner', 'investor'),
      sales_status: fc.constantFrom('lead', 'working', 'pipeline', 'renewal_growth', 'closed_lost', 'churned'),
      tags,
    },
  ),
  contacts: withRequired(
    { first_name: name, last_name: name },
    {
      ...lines('title', 'phone', 'company', 'linkedin_url', 'location', 'city', 'state', 'country', 'icp_label'),
      middle_name: name,
      email,
      tags,
    },
  ),
  opportunities: withRequired({ opportunity_name: name }, { tags, amount, pipeline: name }),
};

function withRequired(required: Record<string, fc.Arbitrary<unknown>>, others: Record<string, fc.Arbitrary<unknown>>) {
  return fc.tuple(fc.record(required), optional(others)).map(([a, b]): Fields => ({ ...a, ...b }));
}

/** A value that a field must refuse, with the code of the reason. */
export interface InvalidValue {
  field: string;
  value: unknown;
  code: string;
  /** Path at which the fault is reported, if it is within the field. */
  at?: string;
}

const badText = (field: string, max: number): InvalidValue[] => [
  { field, value: 'x'.repeat(max + 1), code: 'too_long' },
  { field, value: '🦾'.repeat(max + 1), code: 'too_long' },
  { field, value: 'a\u0000b', code: 'invalid_format' },
  { field, value: '\ud800', code: 'invalid_format' },
  { field, value: 5, code: 'invalid_type' },
  { field, value: ['x'], code: 'invalid_type' },
  { field, value: {}, code: 'invalid_type' },
];

const badName = (field: string): InvalidValue[] => [...badText(field, 255), { field, value: '', code: 'too_short' }];
const badEnum = (field: string): InvalidValue[] => [
  { field, value: 'nonsense', code: 'invalid_enum' },
  { field, value: '', code: 'invalid_enum' },
  { field, value: 1, code: 'invalid_type' },
];

const badTags: InvalidValue[] = [
  { field: 'tags', value: 'x', code: 'invalid_type' },
  { field: 'tags', value: Array.from({ length: 101 }, () => 'x'), code: 'too_many' },
  { field: 'tags', value: ['ok', ''], code: 'too_short', at: 'tags.1' },
  { field: 'tags', value: ['x'.repeat(101)], code: 'too_long', at: 'tags.0' },
  { field: 'tags', value: [null], code: 'null_not_allowed', at: 'tags.0' },
  { field: 'tags', value: [1], code: 'invalid_type', at: 'tags.0' },
];

const badEmail: InvalidValue[] = [
  '',
  'nonsense',
  'a@',
  '@b.example',
  'a b@c.example',
  'a@b@c',
  'a..b@c.example',
  '.a@b.example',
  'a@-b.example',
].map((value) => ({ field: 'email', value, code: 'invalid_format' }));

const badAmount: InvalidValue[] = [
  { field: 'amount', value: 1e15, code: 'out_of_range' },
  { field: 'amount', value: -1e15, code: 'out_of_range' },
  { field: 'amount', value: 0.00001, code: 'out_of_range' },
  { field: 'amount', value: '1', code: 'invalid_type' },
];

const badDate: InvalidValue[] = [
  '2026-1-31',
  '20260131',
  '2026-01-31T09:30:00',
  '2026-02-30T00:00:00Z',
  'tomorrow',
  '',
  '2026-01-31T25:00:00Z',
  '2026-01-31T09:30:00Z[UTC]',
].map((value) => ({ field: 'close_date', value, code: 'invalid_format' }));

const badId = (field: string): InvalidValue[] => [
  { field, value: 'nonsense', code: 'invalid_format' },
  { field, value: '', code: 'invalid_format' },
  { field, value: 1, code: 'invalid_type' },
];

const badIds = (field: string, max: number): InvalidValue[] => [
  { field, value: 'x', code: 'invalid_type' },
  // Repeated ids count as well.
  { field, value: Array.from({ length: max + 1 }, () => '019a1b2c-0000-7000-8000-000000000001'), code: 'too_many' },
  { field, value: ['nonsense'], code: 'invalid_format', at: `${field}.0` },
  { field, value: [null], code: 'null_not_allowed', at: `${field}.0` },
];

/** Faults that must be refused, by resource. */
export const faults: Record<ChangedResource, InvalidValue[]> = {
  accounts: [
    ...badName('account_name'),
    ...['domain', 'linkedin_url', 'address', 'city', 'state', 'country', 'icp_label'].flatMap((field) =>
      badText(field, 2_048),
    ),
    ...badEnum('relationship_type'),
    ...badEnum('sales_status'),
    ...badTags,
    ...badId('owner_id'),
  ],
  contacts: [
    ...['first_name', 'middle_name', 'last_name'].flatMap(badName),
    ...['title', 'phone', 'company', 'linkedin_url', 'location', 'city', 'state', 'country', 'icp_label'].flatMap(
      (field) => badText(field, 2_048),
    ),
    ...badEmail,
    ...badTags,
    ...['account_id', 'owner_id'].flatMap(badId),
  ],
  opportunities: [
    ...badName('opportunity_name'),
    ...badName('pipeline'),
    ...badTags,
    ...badAmount,
    ...badDate,
    { field: 'close_date', value: '+012026-01-01T00:00:00Z', code: 'out_of_range' },
    ...['account_id', 'stage_id', 'owner_id'].flatMap(badId),
    ...badIds('contact_ids', 100),
  ],
};
