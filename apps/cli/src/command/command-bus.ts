import { type Bus, busOn } from '@relata/events';
import { keyChanged, Messaging, triggersChanged } from '@relata/messaging';
import { printWarning } from '../output/print-result.ts';

const waitMs = 1_000;

/** Changes that running services notice within 5 seconds even if no message reaches them. */
const noticedLater: ReadonlySet<string> = new Set([keyChanged.subject, triggersChanged.subject]);

/** Returns the bus of one command. It connects at the first message, and warns once if NATS is unreachable. */
export function commandBus(nats: { url: string; prefix: string }, stack: AsyncDisposableStack): Bus {
  let connecting: Promise<Bus | undefined> | undefined;
  let hasWarned = false;
  const connected = () => (connecting ??= connect(nats, stack));
  return {
    async publish(broadcast, message) {
      const bus = await connected();
      if (bus) return bus.publish(broadcast, message);
      if (hasWarned || !noticedLater.has(broadcast.subject)) return;
      hasWarned = true;
      printWarning(
        'NATS is unreachable, so running services were not notified. The change takes effect within 5 seconds.',
      );
    },
    enqueue: async (queue, message) => (await connected())?.enqueue(queue, message),
  };
}

async function connect(nats: { url: string; prefix: string }, stack: AsyncDisposableStack): Promise<Bus | undefined> {
  const messaging = stack.use(new Messaging({ ...nats, name: 'relata-cli' }));
  return (await messaging.connected(waitMs)) ? busOn(messaging) : undefined;
}
