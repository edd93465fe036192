import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A team channel's webhook. */
export interface Inbox extends AsyncDisposable {
  url: string;
  /** Bodies that arrived. */
  posts: string[];
  /** What it answers: one status for each post, the last for all that follow; 0 is no answer at all. */
  statuses: number[];
}

export async function startInbox(statuses: number[] = [200]): Promise<Inbox> {
  const inbox = { posts: [] as string[], statuses };
  const server = createServer(async (request, response) => {
    inbox.posts.push((await request.setEncoding('utf8').toArray()).join(''));
    const status = inbox.statuses[Math.min(inbox.posts.length, inbox.statuses.length) - 1] ?? 200;
    if (status !== 0) response.writeHead(status).end('ok');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/very-secret`;
  return Object.assign(inbox, {
    url,
    async [Symbol.asyncDispose]() {
      server.close().closeAllConnections();
      await once(server, 'close');
    },
  });
}
