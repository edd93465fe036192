import { describe, expect, test } from 'vitest';
import { opens, type Vector } from './signature.harness.ts';
import { vectors } from './vectors.harness.ts';

const hourMs = 3_600_000;

/** Returns the headers with the first character of the signature changed. */
const changed = ({ headers, first }: Vector & { first: string }) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      value.replace(first, () => (first.startsWith('0') ? '1' : '0') + first.slice(1)),
    ]),
  );

/** Returns true for a header that may have several signatures. */
const hasSeveral = (header: string) => /^(v1,|\w+=\d+[,;])/.test(header);

/** Returns the beginning of a time in each format that the kinds write. */
const timesAt = (ms: number) => [String(Math.floor(ms / 1_000)), new Date(ms).toISOString().slice(0, 19)];

describe.for(Object.entries(vectors))('%s', ([name, vector]) => {
  const { kind, headers, body, nowMs } = vector;
  const signatureName = Object.keys(headers).find((header) =>
    kind.families.some(([first]) => header.toLowerCase() === first),
  );
  const signature = headers[signatureName!]!;

  test('S.1: accepts the documented signature, whatever the case of its header', () => {
    expect(opens(vector)).toBe(true);
    const upper = Object.fromEntries(Object.entries(headers).map(([key, value]) => [key.toUpperCase(), value]));
    expect(opens({ ...vector, headers: upper })).toBe(true);
  });

  test('S.1: refuses a changed body, a changed signature, and another secret', () => {
    const bytes = Buffer.from(body);
    for (const at of [0, bytes.length >> 1, bytes.length - 1]) {
      const other = Buffer.from(bytes);
      other[at]! ^= 1;
      expect(opens({ ...vector, body: other })).toBe(false);
    }
    expect(opens({ ...vector, body: Buffer.concat([bytes, Buffer.from('\n')]) })).toBe(false);
    expect(changed(vector)).not.toEqual(headers);
    expect(opens({ ...vector, headers: changed(vector) })).toBe(false);
    const other = kind.secret.make?.() ?? 'another-secret-of-it';
    expect(opens({ ...vector, secret: other })).toBe(false);
    expect(opens({ ...vector, secret: [other, vector.secret] })).toBe(true);
  });

  test('S.1: refuses a repeated header, even with the same value', () => {
    for (const [header, value] of Object.entries(headers)) {
      expect(opens({ ...vector, again: { [header.toLowerCase()]: value } })).toBe(false);
      expect(opens({ ...vector, again: { [header.toUpperCase()]: '' } })).toBe(false);
    }
  });

  test('refuses a signature that is cut, longer, empty or missing', () => {
    for (const text of ['', signature.slice(0, -1), `${signature}0`, signature.slice(1), 'sha256=', ' '])
      expect(opens({ ...vector, headers: { ...headers, [signatureName!]: text } })).toBe(
        // Stripe's header ends with a `v0` signature, which is not checked.
        name === 'stripe' && text.startsWith('t='),
      );
    for (const header of Object.keys(headers)) {
      const { [header]: _, ...others } = headers;
      expect(opens({ ...vector, headers: others })).toBe(false);
    }
  });

  test.each([signature].filter(hasSeveral))('S.14: accepts a post whose second signature is right', () => {
    const wrong = changed(vector)[signatureName!]!;
    const [separator, part] = signature.startsWith('v1,')
      ? [' ', wrong]
      : [/[,;]/.exec(signature)![0], wrong.split(/[,;]/)[1]!];
    const [time, ...signatures] = signature.split(separator);
    const several = signature.startsWith('v1,') ? [part, signature] : [time!, part, ...signatures];
    const headersOf = (parts: string[]) => ({ ...headers, [signatureName!]: parts.join(separator) });
    expect(opens({ ...vector, headers: headersOf(several) })).toBe(true);
    expect(opens({ ...vector, headers: headersOf([...several.slice(0, -1), part]) })).toBe(signature.includes('v0='));
  });

  test("S.14: refuses another kind's signature", () => {
    const others = Object.values(vectors).filter((other) => other.kind !== kind);
    expect(others.length).toBeGreaterThan(12);
    for (const other of others) {
      expect(opens({ ...other, kind, secret: vector.secret })).toBe(false);
      expect(opens({ ...vector, headers: { ...other.headers } })).toBe(false);
    }
  });

  test.each([kind].filter(({ writeTime }) => writeTime))(
    'S.1: refuses a timestamp that is more than five minutes off or is not the signed one',
    () => {
      for (const away of [299_000, -299_000]) expect(opens({ ...vector, nowMs: nowMs + away })).toBe(true);
      for (const away of [301_000, -301_000, hourMs]) expect(opens({ ...vector, nowMs: nowMs + away })).toBe(false);
      const [now, next] = [nowMs, nowMs + 1_000].map((ms) => timesAt(ms));
      const later = Object.fromEntries(
        Object.entries(headers).map(([key, value]) => [
          key,
          now!.reduce((text, time, at) => text.replace(time, next![at]!), value),
        ]),
      );
      expect(later).not.toEqual(headers);
      expect(opens({ ...vector, headers: later })).toBe(false);
    },
  );
});
