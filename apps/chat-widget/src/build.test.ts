import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { buildWidget } from '../build.ts';

async function build(check: (folder: string, built: Awaited<ReturnType<typeof buildWidget>>) => Promise<void>) {
  const folder = await mkdtemp(join(tmpdir(), 'relata-widget-'));
  try {
    await check(folder, await buildWidget({ outFile: join(folder, 'a', 'widget.js') }));
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('the build writes only the script, of less than 40,000 bytes gzipped, and its licences', async () => {
  await build(async (folder, { file, bytes, gzipBytes }) => {
    expect(gzipBytes).toBeLessThan(40_000);
    const script = await readFile(file, 'utf8');
    expect(Buffer.byteLength(script)).toBe(bytes);
    expect(script).toMatch(/^\/\*! The licences .* are in LICENSES\.txt beside it\. \*\/\n/);
    expect((await readdir(join(folder, 'a'))).toSorted()).toEqual(['LICENSES.txt', 'widget.js']);
  });
});

test('the script is a classic script without imports and exports, and never turns text into code or HTML', async () => {
  await build(async (_folder, { file }) => {
    const code = await readFile(file, 'utf8');
    expect(() => runInNewContext(`() => {${code}}`)).not.toThrow();
    expect(code).not.toMatch(
      /\bimport\b\s*[({.*'"]|\bexport\b|\brequire\(|\beval\(|new Function|insertAdjacentHTML|document\.write/,
    );
  });
});

test('concurrent builds do not interfere with each other', async () => {
  await build(async (folder, { bytes }) => {
    const outFile = join(folder, 'a', 'widget.js');
    const built = await Promise.all([buildWidget({ outFile }), buildWidget({ outFile }), buildWidget({ outFile })]);
    expect(built.map((one) => one.bytes)).toEqual([bytes, bytes, bytes]);
    expect((await readdir(join(folder, 'a'))).toSorted()).toEqual(['LICENSES.txt', 'widget.js']);
  });
});
