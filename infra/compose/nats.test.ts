import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findNatsServer, freePorts, spawnServer } from '@relata/embedded';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { paths } from '../local/paths.ts';

const stopSteps = [
  { signal: 'SIGINT', waitMs: 3_000 },
  { signal: 'SIGKILL', waitMs: 1_000 },
] as const;

/** Returns the server's response to a client with this token. */
function answerTo(port: number, token: string | undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    let said = '';
    const options = {
      verbose: false,
      pedantic: false,
      lang: 'test',
      version: '1',
      ...(token && { auth_token: token }),
    };
    socket.once('data', () => {
      socket.write(`CONNECT ${JSON.stringify(options)}\r\nPING\r\n`);
      socket.on('data', (chunk) => {
        said += chunk.toString();
        socket.destroy();
      });
    });
    socket.once('close', () => resolve(said.trim()));
    socket.once('error', reject);
    socket.setTimeout(60_000, () => socket.destroy());
  });
}

test.each(['a1b2c3', '12e45', '0123456789'])(
  'the NATS server of Compose accepts only clients with the token %s',
  async (token) => {
    await using stack = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), 'relata-nats-'));
    stack.defer(() => rm(folder, { recursive: true, force: true }));
    const compose = await readFile(join(import.meta.dirname, 'compose.yaml'), 'utf8');
    // Passed as by Compose, including the quotes.
    const [, quoted = ''] = /NATS_TOKEN: '(.*)'/.exec(compose) ?? [];
    const [port = 0, monitorPort = 0] = await freePorts(2);
    const config = join(folder, 'nats.conf');
    const given = await readFile(join(import.meta.dirname, 'nats.conf'), 'utf8');
    await writeFile(config, given.replace('/data', join(folder, 'data')));
    const own = ['-a', '127.0.0.1', '-p', String(port), '-m', String(monitorPort)];
    const server = await spawnServer({
      name: 'NATS',
      launch: { command: await findNatsServer({ binDir: paths.bin }), args: ['--config', config, ...own] },
      env: { NATS_TOKEN: quoted.replace(/\$\{.*\}/, token) },
      logFile: join(folder, 'nats.log'),
      stopSteps,
      isReady: () =>
        answerTo(port, token).then(
          () => true,
          () => false,
        ),
      readyTimeoutMs: 120_000,
    });
    stack.defer(() => server.stop());
    expect(await answerTo(port, token)).toBe('PONG');
    for (const other of ['another', undefined])
      expect(await answerTo(port, other)).toContain('Authorization Violation');
  },
);
