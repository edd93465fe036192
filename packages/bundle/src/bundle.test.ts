import { execFile } from 'node:child_process';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { bundle } from './bundle.ts';

/** Calls that throw, and reads with a side effect. The results are unused. */
const calls = [
  "decodeURIComponent('%zz')",
  "decodeURI('%ff')",
  String.raw`encodeURIComponent('\ud800')`,
  String.raw`encodeURI('\ud800')`,
  'String.fromCodePoint(-1)',
  "'x'.normalize('none')",
  "'x'.repeat(-1)",
  '(1).toFixed(101)',
  "new URL('none')",
  "BigInt('1.5')",
  "JSON.parse('{')",
  'JSON.stringify(1n)',
  "new RegExp('(')",
  "new Intl.DateTimeFormat('en', { timeZone: 'none' })",
  "new Intl.Locale('?')",
  "Temporal.Instant.from('none')",
  "new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.of(255))",
  'new Date(NaN).toISOString()',
  'structuredClone(() => {})',
  "atob('?')",
  'new Array(-1)',
  'Object.fromEntries(1)',
  '({ get read() { throw new Error(); } }).read',
];

const program = calls
  .map((call) => {
    const what = JSON.stringify(call);
    return `(() => { try { void ${call}; console.log('removed', ${what}); } catch { console.log('kept', ${what}); } })();`;
  })
  .join('\n');

test('a bundle keeps calls whose only effect is an exception (found A5)', async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'relata-bundle-')));
  try {
    await writeFile(join(root, 'main.mjs'), program);
    await bundle({ root, programs: { main: 'main.mjs' }, writtenTo: join(root, 'dist'), folder: join(root, 'dist') });
    const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'dist/main.mjs')]);
    expect(stdout.trimEnd().split('\n')).toEqual(calls.map((call) => `kept ${call}`));
  } finally {
    await rm(root, { recursive: true });
  }
});
