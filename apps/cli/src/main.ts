#!/usr/bin/env node
import { unsetEmptyVariables } from '@relata/runtime';

unsetEmptyVariables();
// In a clone, the tool is started from its source, and `relata` is not on the PATH.
if (process.argv[1]?.endsWith('.ts')) process.env['RELATA_COMMAND'] ??= 'npx relata';
// Imported only now, because some libraries read the environment when they are loaded.
const { runCli } = await import('./cli.ts');
process.exitCode = await runCli(process.argv.slice(2));
// Waits until all output has been read, because the program at the other end of a pipe may be slow.
await new Promise<void>((resolve) => process.stdout.write('', () => resolve()));
// Everything is done. A half-open socket to a server that no longer answers must not keep the process alive.
setTimeout(() => process.exit(), 1_000).unref();
