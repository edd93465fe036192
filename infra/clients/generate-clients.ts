import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const here = import.meta.dirname;
const description = join(here, '../../docs/openapi.json');
const guide = join(here, '../../docs/api.md');
const generated = join(here, '.generated');

/** An upper limit, not the expected time: a busy machine can stall for seconds. */
const timeout = 120_000;

async function run(program: string, ...args: string[]): Promise<void> {
  const settings = { cwd: here, timeout, env: { ...process.env, NO_COLOR: '1', CI: '1' } };
  await promisify(execFile)(process.execPath, [program, ...args], settings).catch(
    (error: Error & { stdout?: string; stderr?: string }) => {
      throw new Error(`${error.message}\n${error.stdout}\n${error.stderr}`, { cause: error });
    },
  );
}

/** Generates both clients from the API's description, without options for types, as most integrators would. */
export async function generateClients(): Promise<void> {
  await rm(generated, { recursive: true, force: true });
  const [types, sdk] = [join(generated, 'openapi-typescript.ts'), join(generated, 'hey-api')];
  await Promise.all([
    run('node_modules/openapi-typescript/bin/cli.js', description, '-o', types),
    run('node_modules/@hey-api/openapi-ts/bin/run.js', '-i', description, '-o', sdk),
  ]);
  const [, sample] = /^```ts\n(import createClient [^]*?)^```/m.exec(await readFile(guide, 'utf8')) ?? [];
  if (sample === undefined) throw new Error('The guide has no sample of a typed client.');
  await writeFile(join(generated, 'sample.ts'), sample.replace('./relata.js', './openapi-typescript.js'));
}

/**
 * Compiles both clients, their calls and the sample of the guide with strict types, into `.generated/compiled`. Throws
 * the compiler's output.
 */
export async function compileCalls(): Promise<void> {
  await run(join(here, '../../node_modules/typescript/bin/tsc'), '-p', join(here, 'calls'));
}
