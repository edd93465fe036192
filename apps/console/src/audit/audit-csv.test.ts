import type { Event } from '@relata/schemas';
import { expect, test } from 'vitest';
import { csvHead, csvRow } from './audit-csv.ts';

const event = (name: string): Event => ({
  id: '01a20c0d-1709-749c-b992-d2b52e8b0871',
  type: 'member.joined',
  created_at: '2026-11-24T05:26:51.000Z',
  record_type: 'member',
  record_id: '01a20c0d-1709-749c-b992-d2b52e8b0872',
  actor: { type: 'user', name },
  record: { name },
});

const authorIn = (row: string) => /^"[^"]*","((?:[^"]|"")*)",/.exec(row)![1]!.replaceAll('""', '"');

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', ' =1', '\u00a0=1', '＝1', '＋1', '－1', '＠A', '\n=cmd|x'])(
  'a spreadsheet takes the name %j for text rather than a formula (found B18)',
  (name) => expect(authorIn(csvRow(event(name)))).toBe(`'${name}`),
);

test.each(['Ada', 'a=b', 'Ada "Countess", Lovelace', 'two\r\nlines', '\u202ereversed', '<img src=x>', "'quoted'"])(
  'the name %j is one unchanged cell (found B18)',
  (name) => {
    const row = csvRow(event(name));
    expect(authorIn(row)).toBe(name);
    // Outside of quotes, the row has only commas and one line break at its end.
    expect(row.replaceAll(/"(?:[^"]|"")*"/g, '')).toBe(`${','.repeat(12)}\r\n`);
  },
);

test('the file begins with the byte order mark of UTF-8 and the names of its columns (found B18)', () => {
  expect(csvHead).toMatch(/^\uFEFF"time","author","author_type",/);
});
