import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { dashboardFiles } from './files.ts';

// Writes the files that Grafana imports. The repository holds one of them as an example.
const folder = resolve(process.argv[2] ?? join(import.meta.dirname, '../../prometheus/dist'));
await mkdir(folder, { recursive: true });
for (const [name, text] of Object.entries(dashboardFiles)) await writeFile(join(folder, name), text);
console.log(`${Object.keys(dashboardFiles).length} dashboards are in ${relative('', folder)}`);
