import { connect, createServer, type Socket } from 'node:net';
import { listen } from './listen.ts';

const keptBytesMax = 65_536;

/** Starts a relay between clients and a server on 127.0.0.1, which records the data sent by each client connection. */
export async function startRecordingRelay(stack: AsyncDisposableStack, serverPort: number) {
  const sent: Buffer[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const at = sent.push(Buffer.alloc(0)) - 1;
    near.on('data', (bytes: Buffer) => {
      if (sent[at]!.length < keptBytesMax) sent[at] = Buffer.concat([sent[at]!, bytes]);
    });
    join(near, connect(serverPort, '127.0.0.1'), sockets);
  });
  const { port, close } = await listen(server);
  stack.defer(async () => {
    for (const socket of sockets) socket.destroy();
    await close();
  });
  /** Data sent by each connection, in the order in which the connections were opened. Long data is truncated. */
  return { sent: sent as readonly Buffer[], port };
}

function join(near: Socket, far: Socket, sockets: Set<Socket>): void {
  for (const [from, to] of [
    [near, far],
    [far, near],
  ] as const) {
    sockets.add(from);
    from.pipe(to);
    from.on('error', () => to.destroy()).on('close', () => to.destroy());
  }
}
