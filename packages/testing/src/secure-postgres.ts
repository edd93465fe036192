import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startPostgres } from '@relata/embedded';
import { makeAuthority } from './certificate-authority.ts';
import { makeMemoryFolder } from './memory-folder.ts';
import { startRecordingRelay } from './recording-relay.ts';

/** Message of the protocol that requests TLS. */
const sslRequest = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
/** The first byte of a TLS handshake. */
const handshake = 0x16;

/**
 * Starts a PostgreSQL server that accepts only TLS, with a certificate for `localhost`. A relay in front of it records
 * all data that clients send.
 */
export async function startSecurePostgres(stack: AsyncDisposableStack) {
  const folder = await makeMemoryFolder('relata-tls-');
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const write = async (name: string, text: string) => {
    const file = join(folder, name);
    await writeFile(file, text, { mode: 0o600 });
    return file;
  };
  const [authority, stranger] = [makeAuthority('Ours'), makeAuthority('Stranger')];
  const { certificate, key } = authority.issue('localhost');
  const settings = {
    ssl: 'on',
    ssl_cert_file: await write('server.pem', certificate),
    ssl_key_file: await write('server.key', key),
    hba_file: await write('pg_hba.conf', 'hostssl all all 127.0.0.1/32 scram-sha-256\n'),
  };
  const server = await startPostgres({ dataDir: join(folder, 'postgres'), settings });
  stack.defer(() => server.stop());
  const relay = await startRecordingRelay(stack, Number(new URL(server.url).port));
  const urlAt = (hostname: string, words: string) => {
    const url = new URL(server.url);
    return `${Object.assign(url, { hostname, port: String(relay.port) }).href}?${words}`;
  };
  return {
    urlAt,
    authority: await write('ca.pem', authority.certificate),
    stranger: await write('stranger.pem', stranger.certificate),
    /**
     * Returns for each connection whether it first requested TLS, and then sent nothing or began with a TLS handshake.
     */
    encrypted: () =>
      relay.sent.map(
        (bytes) => bytes.indexOf(sslRequest) === 0 && (bytes[sslRequest.length] ?? handshake) === handshake,
      ),
    /** Returns all data sent, as an eavesdropper sees it. */
    seen: () => Buffer.concat([...relay.sent]).toString('latin1'),
  };
}
