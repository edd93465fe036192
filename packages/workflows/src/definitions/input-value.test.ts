import { describe, expect, test } from 'vitest';
import { type InputSpec, readInput } from './input-value.ts';

const read = (spec: Partial<InputSpec>, value: unknown) => readInput({ type: 'string', ...spec }, value);

describe('no value', () => {
  test.for([undefined, null, ''])('%j is no value of an input', (value) => {
    expect(read({}, value)).toEqual({ value: undefined });
    expect(read({ default: 'd' }, value)).toEqual({ value: 'd' });
    expect(read({ required: true }, value)).toMatchObject({ problem: 'is required' });
    expect(read({ required: true, default: 'd' }, value)).toEqual({ value: 'd' });
    expect(read({ type: 'number' }, value)).toEqual({ value: undefined });
  });

  test('false and 0 are values of an input', () => {
    expect(read({ type: 'boolean', required: true }, false)).toEqual({ value: false });
    expect(read({ type: 'number', required: true, default: 5 }, 0)).toEqual({ value: 0 });
  });
});

describe('a value is taken', () => {
  test.for<[Partial<InputSpec>, unknown, unknown]>([
    [{ type: 'number' }, '12.5', 12.5],
    [{ type: 'number' }, '-1e3', -1000],
    [{ type: 'number' }, '1e20', 1e20],
    [{ type: 'number' }, '9007199254740991', 9_007_199_254_740_991],
    [{ type: 'boolean' }, 'true', true],
    [{ type: 'boolean' }, 'false', false],
    [{ type: 'string' }, 12.5, '12.5'],
    [{ type: 'string' }, true, 'true'],
    [{ type: 'string' }, 9_007_199_254_740_991, '9007199254740991'],
    [{ type: 'object' }, { a: 1 }, { a: 1 }],
    [{ type: 'array' }, [1], [1]],
    [{ format: 'email' }, 'a@b.example', 'a@b.example'],
    [{ format: 'uri' }, 'mailto:a@b.example', 'mailto:a@b.example'],
    [{ format: 'uuid' }, '019A1B2C-0000-7000-8000-000000000001', '019a1b2c-0000-7000-8000-000000000001'],
    [{ format: 'date-time' }, '2026-01-31T10:30:00+01:00', '2026-01-31T09:30:00.000Z'],
    [{ type: 'string' }, 'a\u0000b\ud800', 'a\uFFFDb\uFFFD'],
  ])('an input %j accepts %j', ([spec, value, expected]) => {
    expect(read(spec, value)).toEqual({ value: expected });
  });
});

describe('a value is refused', () => {
  test.for<[Partial<InputSpec>, unknown, string]>([
    [{ type: 'number' }, '0x10', 'must be a number'],
    [{ type: 'number' }, ' 1', 'must be a number'],
    [{ type: 'number' }, '01', 'must be a number'],
    [{ type: 'number' }, '1e999', 'must be a number that JSON can hold'],
    [{ type: 'number' }, true, 'must be a number'],
    [{ type: 'number' }, '820982911946154508', 'must be a number of at most 2^53'],
    [{ type: 'number' }, '-9007199254740992', 'must be a number of at most 2^53'],
    [{ type: 'number' }, '9'.repeat(400), 'must be a number of at most 2^53'],
    [{ type: 'boolean' }, 'yes', 'must be true or false'],
    [{ type: 'boolean' }, 1, 'must be true or false'],
    [{ type: 'string' }, 9_007_199_254_740_992, 'is a whole number above 2^53; send it as a string'],
    [{ type: 'string' }, { a: 1 }, 'must be a string'],
    [{ type: 'object' }, '{"a":1}', 'must be an object'],
    [{ type: 'object' }, [], 'must be an object'],
    [{ type: 'array' }, '[1]', 'must be an array'],
    [{ type: 'array' }, {}, 'must be an array'],
    [{ format: 'email' }, 'secret', 'must be an email address'],
    [{ format: 'email' }, '../../admin/delete?all=1#@x.y', 'must be an email address'],
    [{ format: 'uri' }, 'not a uri', 'must be a URI'],
    [{ format: 'uuid' }, 'x', 'must be a UUID'],
    [{ format: 'date-time' }, '31.1.2026', 'must be a date and time with a zone, like 2026-01-31T09:30:00Z'],
  ])('an input %j refuses %j', ([spec, value, problem]) => {
    expect(read(spec, value)).toMatchObject({ problem });
  });
});

test('a whole number beyond 2^53 keeps its digits as a string and is refused as a number', () => {
  const large = 820982911946154508n;
  expect(read({ type: 'string' }, large)).toEqual({ value: '820982911946154508' });
  expect(read({ type: 'number' }, large)).toMatchObject({ problem: 'must be a number of at most 2^53' });
  expect(read({ type: 'boolean' }, large)).toMatchObject({ problem: 'must be true or false' });
});
