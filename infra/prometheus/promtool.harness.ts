import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { assert, expect, type TestContext } from 'vitest';

/** Path at which `.ci/run` installs promtool if the machine has none. */
const fetched = join(import.meta.dirname, '../../.local/bin/promtool');
const isProgram = (program: string) => spawnSync(program, ['--version']).status === 0;
/** Path of promtool, which CI sets in PROMTOOL_PATH. Undefined if no promtool is found. */
const promtool = [process.env['PROMTOOL_PATH'] ?? 'promtool', fetched].find(isProgram);
const missing = 'needs promtool: Debian has it in the package prometheus, or name it in PROMTOOL_PATH';

/**
 * Runs promtool, or skips the test if it is missing and not required. Arguments are files of this folder, or absolute.
 */
export function expectPromtoolTo(context: TestContext, ...args: string[]): void {
  const isRequired = process.env['RELATA_REQUIRE_PROMTOOL'] === '1';
  if (promtool === undefined && !isRequired) context.skip(missing);
  assert(promtool !== undefined, missing);
  const { status, stdout, stderr } = spawnSync(promtool, args, { cwd: import.meta.dirname, encoding: 'utf8' });
  expect(status, stdout + stderr).toBe(0);
}
