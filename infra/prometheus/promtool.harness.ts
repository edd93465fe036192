import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, type TestContext } from 'vitest';

/** Where `.ci/run` puts it if the machine has none. */
const fetched = join(import.meta.dirname, '../../.local/bin/promtool');
const isThere = (program: string) => spawnSync(program, ['--version']).status === 0;
const promtool = process.env['PROMTOOL_PATH'] ?? ['promtool', fetched].find(isThere) ?? 'promtool';
const missing = 'promtool was not found: Debian has it in the package prometheus, or name it in PROMTOOL_PATH';

/** Skips the test where there is no promtool and none is required. Arguments are files of this folder, or absolute. */
export function expectPromtoolTo(context: TestContext, ...args: string[]): void {
  const isRequired = process.env['RELATA_REQUIRE_PROMTOOL'] === '1';
  context.skip(!isRequired && !isThere(promtool), missing);
  expect(isThere(promtool), missing).toBe(true);
  const { status, stdout, stderr } = spawnSync(promtool, args, { cwd: import.meta.dirname, encoding: 'utf8' });
  expect(status, stdout + stderr).toBe(0);
}
