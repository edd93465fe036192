import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connectionsOf, sizes } from '../generate/kubernetes/sizes.ts';

test.each(sizes)('PostgreSQL has enough connections for $name with one additional process of each app', (size) => {
  expect(connectionsOf(size)).toBeLessThanOrEqual(size.connectionsMax);
  expect(connectionsOf(size)).toBeGreaterThan(size.connectionsMax * 0.6);
});

test('docs/scaling.md lists the connections of each size', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/scaling.md'), 'utf8');
  const [, section = ''] = /\n## Connections\n([^]*?)\n## /.exec(page) ?? [];
  const rows = [...section.matchAll(/^\| `(\w+)` .*\| +([\d,]+) \| +([\d,]+) \|$/gm)];
  const numberIn = (text = '') => Number(text.replaceAll(',', ''));
  const shown = rows.map(([, name, connections, allowed]) => [name, numberIn(connections), numberIn(allowed)]);
  expect(shown).toEqual(sizes.map((size) => [size.name, connectionsOf(size), size.connectionsMax]));
});
