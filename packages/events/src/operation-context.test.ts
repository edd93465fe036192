import { expect, test } from 'vitest';
import { z } from 'zod';
import { readInput } from './operation-context.ts';

const Input = z.strictObject({ name: z.string(), count: z.int().default(1) });

test('reads the input of an operation with its defaults', () => {
  expect(readInput(Input, { name: 'x' })).toEqual({ name: 'x', count: 1 });
});

test('names every problem of an input, as for a body', () => {
  const given = { count: 1.5, other: true } as unknown as z.input<typeof Input>;
  expect(() => readInput(Input, given)).toThrowError(
    expect.objectContaining({
      code: 'validation_error',
      details: [
        expect.objectContaining({ in: 'body', field: 'name', code: 'required' }),
        expect.objectContaining({ field: 'count', code: 'invalid_type' }),
        expect.objectContaining({ field: 'other', code: 'unknown_field' }),
      ],
    }),
  );
});
