import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '@relata/embedded';
import { type CertificateAuthority, startOwnNats, startRecordingRelay } from '@relata/testing';

/** The first byte of a TLS handshake. */
const handshake = 0x16;
export const token = 'a-token-that-nobody-reads';

/**
 * Starts a NATS server that requires TLS, with a certificate for a host name or an IP address. A relay in front of it
 * records all data.
 */
export async function startSecureNats(stack: AsyncDisposableStack, authority: CertificateAuthority, name: string) {
  const { certificate, key } = authority.issue(name);
  const [certificateFile, keyFile] = [await keep(stack, certificate), await keep(stack, key)];
  const monitorPort = await freePort();
  const { url } = await startOwnNats(stack, {
    token,
    config: `http: "127.0.0.1:${monitorPort}"\ntls { cert_file: "${certificateFile}", key_file: "${keyFile}" }\n`,
  });
  const { port, sent } = await startRecordingRelay(stack, Number(new URL(url).port));
  return {
    port,
    /**
     * Returns the name and the TLS version of each accepted client. Refused clients, which have no name, are left out.
     */
    connections: async () => {
      const response = await fetch(`http://127.0.0.1:${monitorPort}/connz`);
      const { connections } = (await response.json()) as { connections: { name?: string; tls_version?: string }[] };
      return connections.flatMap(({ name: client, tls_version: version }) => (client ? [{ client, version }] : []));
    },
    /** Returns, for each connection that sent something, true if it began with a handshake. */
    encrypted: () => sent.filter(({ length }) => length > 0).map((bytes) => bytes[0] === handshake),
    /** Returns all data sent, as an eavesdropper sees it. */
    seen: () => Buffer.concat([...sent]).toString('latin1'),
  };
}

/** Writes text to a temporary file, which is deleted with the stack, and returns its path. */
export async function keep(stack: AsyncDisposableStack, text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'relata-tls-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'file.pem');
  await writeFile(file, text, { mode: 0o600 });
  return file;
}

/** Result of an attempt to connect, with the reason if it failed. */
export interface Outcome {
  isConnected: boolean;
  refusal?: string;
}

/**
 * Connects to each address from another process, because Node reads `NODE_EXTRA_CA_CERTS` only when a process starts.
 * The process stays connected until the stack ends; its first client publishes the marker.
 */
export async function connectElsewhere(
  stack: AsyncDisposableStack,
  { urls, authorityFile, marker }: { urls: readonly string[]; authorityFile: string; marker: string },
): Promise<Outcome[]> {
  const script = `
    import { setTimeout as pause } from 'node:timers/promises';
    import { keyChanged, Messaging } from ${JSON.stringify(join(import.meta.dirname, 'index.ts'))};
    const all = ${JSON.stringify(urls)}.map((url, at) => new Messaging({ url, name: 'client ' + at }));
    // A host name may have a second address, at which nothing listens.
    const isOpen = ({ isConnected, refusal = 'connection refused' }) => !isConnected && refusal === 'connection refused';
    while (all.some(isOpen)) await pause(10);
    all[0].publish(keyChanged, { hash: ${JSON.stringify(marker)} });
    console.log(JSON.stringify(all.map(({ isConnected, refusal }) => ({ isConnected, refusal }))));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'], NODE_EXTRA_CA_CERTS: authorityFile },
  });
  stack.defer(() => void child.kill('SIGKILL'));
  for await (const line of createInterface(child.stdout)) return JSON.parse(line) as Outcome[];
  throw new Error('The process ended without reporting an outcome.');
}
