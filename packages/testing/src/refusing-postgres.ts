import { createServer } from 'node:net';
import { listen } from './listen.ts';

export interface RefusingPostgres extends AsyncDisposable {
  url: string;
  /** Start-up parameters of the last client, by name. */
  startup: Record<string, string>;
}

/**
 * Starts a server that answers every connection with an ErrorResponse, like PgBouncer for connections that it refuses.
 */
export async function startRefusingPostgres(refusal: { code: string; message: string }): Promise<RefusingPostgres> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (bytes: Buffer) => {
      refusing.startup = startupOf(bytes);
      socket.end(errorResponse(refusal));
    });
  });
  const { port, close } = await listen(server);
  const refusing: RefusingPostgres = {
    url: `postgres://relata_app:secret@127.0.0.1:${port}/relata`,
    startup: {},
    [Symbol.asyncDispose]: close,
  };
  return refusing;
}

/** Parses a start-up message: length and protocol version, then names and values, each ended by a zero byte. */
function startupOf(bytes: Buffer): Record<string, string> {
  const texts = bytes.subarray(8).toString().split('\0');
  const pairs = texts.flatMap((name, at) => (at % 2 === 0 && name !== '' ? [[name, texts[at + 1]!]] : []));
  return Object.fromEntries(pairs) as Record<string, string>;
}

function errorResponse({ code, message }: { code: string; message: string }): Buffer {
  const fields = `SFATAL\0VFATAL\0C${code}\0M${message}\0\0`;
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(4 + Buffer.byteLength(fields), 1);
  return Buffer.concat([head, Buffer.from(fields)]);
}
