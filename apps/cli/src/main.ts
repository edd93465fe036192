#!/usr/bin/env node
import { unsetEmptyVariables } from '@relata/runtime';

unsetEmptyVariables();
// Loaded afterwards, because some libraries read the environment when they are loaded.
const { runCli } = await import('./cli.ts');
process.exitCode = await runCli(process.argv.slice(2));
// All has been said and done. A server that has fallen silent may still hold a socket half open; it is not waited for.
setTimeout(() => process.exit(), 1_000).unref();
