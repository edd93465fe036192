import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { httpWithoutFetch } from './http-without-fetch.ts';

const program = `
import http, { createServer } from 'node:http';
import { Agent } from './library.cjs';
const server = createServer((_request, response) => response.end('served'));
await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
const { port } = server.address();
const agent = new Agent();
http.get({ port, host: '127.0.0.1', agent }, async (response) => {
  const loaded = process.moduleLoadList.some((name) => name.includes('undici'));
  console.log(JSON.stringify({ answer: (await response.toArray()).join(''), loaded }));
  agent.destroy();
  server.close();
});
`;

/** Returns the output of a program bundled with these plugins. */
async function printed(plugins: (typeof httpWithoutFetch)[]): Promise<unknown> {
  const cwd = await mkdtemp(join(tmpdir(), 'relata-http-'));
  try {
    await writeFile(join(cwd, 'main.mjs'), program);
    await writeFile(join(cwd, 'library.cjs'), "exports.Agent = class extends require('http').Agent {};");
    await using build = await rolldown({ cwd, input: 'main.mjs', platform: 'node', plugins });
    const file = join(cwd, 'bundle.mjs');
    await build.write({ file, format: 'esm' });
    return JSON.parse((await promisify(execFile)(process.execPath, [file])).stdout);
  } finally {
    await rm(cwd, { recursive: true });
  }
}

test('a bundled program serves and requests over HTTP without loading the fetch of Node', async () => {
  expect(await printed([httpWithoutFetch])).toEqual({ answer: 'served', loaded: false });
});

test('without the plugin the fetch of Node is loaded', async () => {
  expect(await printed([])).toEqual({ answer: 'served', loaded: true });
});
