import { expect, test } from 'vitest';
import { visibleText } from './visible-text.ts';

test('invisible characters, and those that change the direction of text, are made visible', () => {
  const cases = {
    'pay\u200Bpal': String.raw`pay\u{200b}pal`,
    'invoice\u202Egnp.exe': String.raw`invoice\u{202e}gnp.exe`,
    '\u2066a\u2069 \u061C \uFEFF': String.raw`\u{2066}a\u{2069} \u{61c} \u{feff}`,
    'a\u{E0041}\u{E007F}': String.raw`a\u{e0041}\u{e007f}`,
    'soft\u00ADhyphen \u3164 \u2800': String.raw`soft\u{ad}hyphen \u{3164} \u{2800}`,
    'bell\u0007 \u009B \u2028': String.raw`bell\u{7} \u{9b} \u{2028}`,
    'lone \uD800 half': String.raw`lone \u{d800} half`,
    'a\u200Db 1\uFE0F': String.raw`a\u{200d}b 1\u{fe0f}`,
  };
  for (const [text, shown] of Object.entries(cases)) expect(visibleText(text)).toBe(shown);
});

test('visible text stays unchanged, also emoji and letters that consist of several characters', () => {
  const texts = ['', 'Acme\n\tand more\r\n', 'Ångström ☃ 😀 大阪', 'שלום', '👩‍💻 ❤️ 👍🏽 3️⃣ 🏳️‍🌈', 'می‌خواهم', 'क्‍ष'];
  for (const text of texts) expect(visibleText(text)).toBe(text);
});
