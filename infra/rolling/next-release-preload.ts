import { migrations } from '@relata/db/migrations';
import { nextMigrations } from './next-release.ts';

// Turns a process into one of the next release: the same code with some more migrations. It is loaded before the
// program, and so before anything asks which migration is the last.
(migrations as (typeof migrations)[number][]).push(...nextMigrations);
