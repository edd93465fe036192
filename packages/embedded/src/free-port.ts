import { createServer, type Server } from 'node:net';
import { once } from 'node:events';
import { randomInt } from 'node:crypto';

// Below the range from which Linux (32768 up) and macOS (49152 up) take the source ports of outgoing connections:
// otherwise a client could take the port of a server while the server restarts.
const lowest = 15_000;
const highest = 32_000;
const attemptsMax = 200;
const startsMax = 5;

/** Returns a port of 127.0.0.1 that is free at this moment. */
export async function freePort(): Promise<number> {
  return (await freePorts(1))[0]!;
}

/** Returns several different free ports. Each stays occupied until all are found, so that none is returned twice. */
export async function freePorts(count: number): Promise<number[]> {
  const held = new Map<number, Server>();
  try {
    for (let attempt = 0; held.size < count; attempt += 1) {
      if (attempt >= attemptsMax + count) throw new Error('No free port was found on 127.0.0.1.');
      await hold(randomInt(lowest, highest), held);
    }
    return [...held.keys()];
  } finally {
    await Promise.all(held.values().map((server) => server[Symbol.asyncDispose]()));
  }
}

/** Starts a server on the given port, or else on a free one. If the free port was taken meanwhile, tries another. */
export async function onFreePort<Server>(
  given: number | undefined,
  start: (port: number) => Promise<Server>,
): Promise<{ port: number; server: Server }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = given ?? (await freePort());
    try {
      return { port, server: await start(port) };
    } catch (error) {
      const wasTaken = /address already in use/i.test(String(error));
      if (given !== undefined || !wasTaken || attempt === startsMax) throw error;
    }
  }
}

async function hold(port: number, held: Map<number, Server>): Promise<void> {
  const server = createServer();
  try {
    server.listen({ port, host: '127.0.0.1', exclusive: true });
    await once(server, 'listening');
    held.set(port, server);
  } catch {
    server.close();
  }
}
