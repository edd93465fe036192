import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connectionsOf, sizes } from '../generate/kubernetes/sizes.ts';

test.each(sizes)('the processes of $name, one more of each app among them, find a connection each time', (size) => {
  expect(connectionsOf(size)).toBeLessThanOrEqual(size.connectionsMax);
  expect(connectionsOf(size)).toBeGreaterThan(size.connectionsMax * 0.6);
});

test('the page on scaling has the connections of each size', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/scaling.md'), 'utf8');
  const [, section = ''] = /\n## Connections\n([^]*?)\n## /.exec(page) ?? [];
  const rows = [...section.matchAll(/^\| `(\w+)` .*\| +([\d,]+) \| +([\d,]+) \|$/gm)];
  const numberIn = (text = '') => Number(text.replaceAll(',', ''));
  const shown = rows.map(([, name, connections, allowed]) => [name, numberIn(connections), numberIn(allowed)]);
  expect(shown).toEqual(sizes.map((size) => [size.name, connectionsOf(size), size.connectionsMax]));
});
