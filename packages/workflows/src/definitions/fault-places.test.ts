import { expect, test } from 'vitest';
import type { DefinitionError } from './definition.error.ts';
import { placeFaults } from './fault-places.ts';
import { readDefinitionText } from './read-definition-text.ts';

const text = `{
  "name": "x",
  "we \\"ird": { "a": [1, {"deep": [[], {}]}, 2] },
  "steps": [
    { "id": "a", "with": { "set": { "email": 1 } } },
    { "use": "x",
      "with": {} }
  ]
}`;

test.for([
  ['', 1, 1],
  ['name', 2, 3],
  ['["we \\"ird"]', 3, 3],
  ['["we \\"ird"].a[1].deep[1]', 3, 40],
  ['["we \\"ird"].a[2]', 3, 46],
  ['steps[0]', 5, 5],
  ['steps[0].with.set.email', 5, 37],
  ['steps[1].with', 7, 7],
  ['steps[1].id', 6, 5],
  ['steps[1].with.set.email', 7, 7],
  ['inputs.email', 1, 1],
] as const)('the fault of %s is at line %i, column %i', ([path, line, column]) => {
  expect(placeFaults([{ path, message: 'x' }], text)).toEqual([{ path, message: 'x', line, column }]);
});

test('a fault in a text has its line, whether the text is invalid JSON or an invalid definition', () => {
  const faultsOf = (given: string) => {
    try {
      return readDefinitionText(given);
    } catch (error) {
      return (error as DefinitionError).faults;
    }
  };
  expect(faultsOf('{\n "a" 1}')).toMatchObject([{ path: '', line: 2, column: 6 }]);
  expect(faultsOf('{"a":1,\n "a":1}')).toMatchObject([{ path: '', line: 2, column: 2 }]);
  expect(faultsOf('{"name":"x",\n"steps":[\n{"id":"a",\n"use":"contact.make"}]}')).toContainEqual(
    expect.objectContaining({ path: 'steps[0].use', line: 4, column: 1 }),
  );
});
