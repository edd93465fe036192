#!/usr/bin/env node
import { unsetEmptyVariables } from '@relata/runtime';

unsetEmptyVariables();
// Started from its source, this is a clone, where `relata` itself is not on the path.
if (process.argv[1]?.endsWith('.ts')) process.env['RELATA_COMMAND'] ??= 'npx relata';
// Loaded afterwards, because some libraries read the environment when they are loaded.
const { runCli } = await import('./cli.ts');
process.exitCode = await runCli(process.argv.slice(2));
// Everything is done. A server that no longer answers may still hold a half-open socket, which is not waited for.
setTimeout(() => process.exit(), 1_000).unref();
