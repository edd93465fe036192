import { expect, test } from 'vitest';
import { fillRegion } from './region.ts';

const file = 'a:\n  # <place> why\n  old: 1\n  old: 2\n  # </place>\nb:\n  # <place2>\n  # </place2>\n';

test('lines replace those of their region, with its indentation, and nothing else changes', () => {
  const filled = fillRegion(file, 'place', ['new: $1', '', 'more']);
  expect(filled).toBe('a:\n  # <place> why\n  new: $1\n\n  more\n  # </place>\nb:\n  # <place2>\n  # </place2>\n');
  expect(fillRegion(filled, 'place', ['new: $1', '', 'more'])).toBe(filled);
});

test('a file without the region is refused', () => {
  expect(() => fillRegion(file, 'elsewhere', [])).toThrow('The file has no region <elsewhere>');
});
