import { expect, test } from 'vitest';
import { cutToFit } from './cut-to-fit.ts';

const within = (max: number) => (text: string) => text.length <= max;

test('text that fits stays as it is', () => expect(cutToFit('abcde', within(5))).toBe('abcde'));

test('text that does not fit ends with an ellipsis and fills the available space', () =>
  expect(cutToFit('abcdef', within(5))).toBe('abcd…'));

test('a code point is never halved', () => expect(cutToFit('ab😀cdef', within(4))).toBe('ab…'));

test('the caller decides how length is measured', () =>
  expect(cutToFit('a&b&c', (text) => text.replaceAll('&', '&amp;').length <= 8)).toBe('a&b…'));
