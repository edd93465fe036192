import type { Migration } from '../../packages/db/src/migration.ts';
import { migrations } from '../../packages/db/src/migrations/index.ts';
import { nextMigrations } from './next-release.ts';

// Makes a process one of the release that is to come: today's code, which knows some migrations more. It is loaded before
// the program, and so before anything asks which migration is the last.
(migrations as Migration[]).push(...nextMigrations);
