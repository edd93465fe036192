import { connect } from 'node:net';
import { once } from 'node:events';

const protocolVersion3 = 196_608;

/** What PostgreSQL answers to the first message of a client: it asks for a password, or says why not. */
export async function databaseAnswers(url: string): Promise<'authentication' | 'error'> {
  const { hostname, port, username, pathname } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  try {
    const body = Buffer.from(`user\0${username}\0database\0${pathname.slice(1)}\0\0`);
    const head = Buffer.alloc(8);
    head.writeInt32BE(head.length + body.length, 0);
    head.writeInt32BE(protocolVersion3, 4);
    socket.write(Buffer.concat([head, body]));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    return answer.toString('latin1', 0, 1) === 'R' ? 'authentication' : 'error';
  } finally {
    socket.destroy();
  }
}
