import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { findSuiteBundle } from '@relata/bundle';
import { createTestDatabase, natsUrl, type TestDatabase } from '@relata/testing';
import { afterAll, beforeAll } from 'vitest';
import { compiledFolder, ResidentTools } from './resident-tool.harness.ts';
import type { Outcome } from './resident-process.harness.ts';

const NODE_COMPILE_CACHE = compiledFolder;
/** Processes that all test files of one Vitest worker share, because a process is slow to start. */
const tools = new ResidentTools();

/** Long time limits, since a busy machine may stall for seconds. */
const patience = { DATABASE_CONNECT_TIMEOUT_MS: '30000', DATABASE_STATEMENT_TIMEOUT_MS: '60000' };

export interface RunOptions {
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  stdin?: string;
}

/** Runs the bundle like an operator: in a separate process, in a folder without a local stack. */
export async function relata(
  args: readonly string[],
  { env = {}, cwd = tmpdir(), stdin }: RunOptions = {},
): Promise<Outcome> {
  const main = await findSuiteBundle('cli');
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [main, ...args],
      { cwd, env: environmentOf(env) },
      (_error, stdout, stderr) => resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
    if (stdin !== undefined) child.stdin!.end(stdin);
  });
}

/** Returns the environment of this process plus `env`, without the settings that the test run itself uses. */
function environmentOf(env: NodeJS.ProcessEnv): Record<string, string> {
  const { DATABASE_URL: _database, NATS_URL: _nats, RELATA_TRIGGER_SECRET: _secret, ...others } = process.env;
  for (const name of ['DATABASE_MIGRATION_URL', 'RELATA_ORG']) delete others[name];
  const { TEAM_CHANNEL_WEBHOOK_URL: _url, TEAM_CHANNEL_KIND: _kind, ...rest } = others;
  return JSON.parse(JSON.stringify({ ...rest, NODE_COMPILE_CACHE, ...env })) as Record<string, string>;
}

/** Creates a database for the tests of a file. `run` runs a command on it, in a process that many commands share. */
export function setUpCli() {
  let test: TestDatabase;
  beforeAll(async () => void (test = await createTestDatabase()));
  afterAll(() => test[Symbol.asyncDispose]());

  const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}, stdin?: string) =>
    tools.run({
      args,
      stdin,
      env: environmentOf({ DATABASE_URL: test.url, NATS_URL: natsUrl(), ...patience, ...env }),
    });

  return {
    run,
    database: () => test.database,
    url: () => test.url,
    /** Connection of the role that owns the tables. */
    owner: () => test.owner,
    ownerUrl: () => test.ownerUrl,
    /** Returns the document that `--json` prints. */
    // The tests assert the content of documents.
    // oxlint-disable-next-line typescript/no-explicit-any
    json: async (...args: string[]): Promise<any> => {
      const { code, stdout, stderr } = await run([...args, '--json']);
      if (code !== 0) throw new Error(`relata ${args.join(' ')} ended with ${code}: ${stderr}`);
      return JSON.parse(stdout);
    },
    /** Runs a command that must fail; returns its exit code and error. */
    fault: async (...args: string[]): Promise<{ code: number; error: string; message: string }> => {
      const { code, stderr } = await run([...args, '--json']);
      return { code, ...JSON.parse(stderr) };
    },
  };
}

export { natsUrl };
