import { aborted, waited } from '../../flood/load-shapes.ts';
import type { FloodContext } from '../../flood/flood.ts';
import { neighbour } from '../../neighbour.ts';
import { RawConnection } from '../../flood/raw-connection.ts';

const sendersCount = 300;
const trickleEveryMs = 1_000;
const againAfterMs = 1_000;

export const slowSenders = neighbour({
  name: 'slow-senders',
  flood: `${sendersCount} requests whose heads arrive byte by byte, and ${sendersCount} whose bodies do`,
  probes: ['get', 'post'],
  apps: ['records-api'],
  responses: { status: [408] },
  async run(context) {
    const all = Array.from({ length: sendersCount * 2 }, (_, at) => sendSlowly(context, at % 2 === 0));
    await Promise.all(all);
  },
  // All connections are open at the same time, because closed ones no longer count.
  hasEffect: ({ figures }) => figures['open']! >= sendersCount * 2,
});

async function sendSlowly({ urls, flooder, signal, count }: FloodContext<unknown>, hasHead: boolean): Promise<void> {
  const headers = { 'x-api-key': flooder.keys[0]!, 'content-type': 'application/json', 'content-length': 10_000 };
  const url = urls['records-api']!;
  while (!signal.aborted) {
    using sender = new RawConnection({ url, method: 'POST', path: '/v1/records/accounts', headers });
    const { socket } = sender;
    if (hasHead) sender.sendHead();
    else socket.write('POST /v1/records/accounts HTTP/1.1\r\nx-slow: ');
    socket.once('connect', () => {
      count('open');
      socket.once('close', () => count('open', -1));
    });
    void sender.statusThenStall().then((status) => {
      count(`status ${status}`);
      socket.resume();
    });
    const trickle = setInterval(() => socket.write(' '), trickleEveryMs);
    await Promise.race([sender.closed, aborted(signal)]);
    clearInterval(trickle);
    await waited(againAfterMs, signal);
  }
}
