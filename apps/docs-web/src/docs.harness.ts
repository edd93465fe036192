import { join } from 'node:path';
import { oneAtATime } from '@relata/bundle';
import { findBuiltFiles } from '@relata/http';
import { startTestApi, type TestApi } from '../../records-api/src/records-api.harness.ts';
import { buildDocs } from '../build.ts';

const root = join(import.meta.dirname, '../../..');

/** Builds the documentation unless it is up to date, and returns its folder. */
export async function builtDocs(): Promise<string> {
  // Test files of several workers start at the same time; only one of them builds.
  const { folder } = await oneAtATime(join(root, '.local/building-docs-web'), () => buildDocs());
  return folder;
}

/** Starts the real API with the documentation. */
export async function startTestDocs(): Promise<TestApi> {
  return startTestApi({ docs: await findBuiltFiles(await builtDocs()) });
}
