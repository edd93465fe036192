import { glob } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { migrations } from '@relata/db/migrations';
import { nextMigrations } from './next-release.ts';

// Turns a bundled program into one of the next release: the same code with additional migrations. It is loaded before
// the program, so the program sees the additional migrations from its start.
const folder = dirname(process.argv[1]!);
const [shared] = await Array.fromAsync(glob('migrations-*.mjs', { cwd: folder }));
if (!shared) throw new Error(`${folder} contains no bundle with the migrations.`);
const [present] = Object.values((await import(join(folder, shared))) as Record<string, typeof migrations>);
(present as (typeof migrations)[number][]).push(...nextMigrations);
