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

/** Samples of all kinds of zero-width characters: Unicode's ignorable code points, bidi controls, and annotations. */
const unseen = [0xad, 0x34f, 0x61c, 0x115f, 0x17b4, 0x180b, 0x180e, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f]
  .concat([0x202a, 0x202e, 0x2060, 0x2064, 0x2066, 0x2069, 0x206a, 0x206f, 0x3164, 0xfe00, 0xfe0f, 0xfeff, 0xffa0])
  .concat([0xfff9, 0xfffb, 0x1bca0, 0x1d173, 0xe0001, 0xe0041, 0xe007f, 0xe0100, 0xe01ef, 0xe0fff]);

test.each(unseen.map((point) => [point.toString(16), String.fromCodePoint(point)]))(
  'U+%s between the letters of a word does not reach the channel',
  (_point, character) => expect(cleanText(`pay${character.repeat(3)}pal`)).toBe('paypal'),
);

test.each([
  ['an emoji of several', '👩‍💻 👨‍👩‍👧 👩🏽‍🚀 🏳️‍🌈 ❤️ 1️⃣'],
  ['Persian', 'می‌خواهم'],
  ['Hindi and Sinhala', 'क्‍ष ශ්‍රී'],
])('characters that join the parts of one sign are kept: %s', (_what, text) => expect(cleanText(text)).toBe(text));
