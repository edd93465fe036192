import { expect, test } from 'vitest';
import { cleanText } from './clean-text.ts';

test.each([
  ['line\r\nline\rline\tend', 'line\nline\nline\tend'],
  ['nul\u0000, escape\u001b, c1\u0085', 'nul, escape, c1'],
  ['half \ud800 a pair', 'half \ufffd a pair'],
  ['https://example.com/\u202egpj.exe', 'https://example.com/gpj.exe'],
  ['one\u2028two\u2029three', 'one\ntwo\nthree'],
  ['\ufeffin\u200bvis\u00adi\u2060ble\u{e0041}', 'invisible'],
  [' \n around \n ', 'around'],
  ['😀 שלום مرحبا', '😀 שלום مرحبا'],
])('%j becomes %j', (text, cleaned) => expect(cleanText(text)).toBe(cleaned));
