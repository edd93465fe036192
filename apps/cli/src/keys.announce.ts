import { keyChanged, Messaging } from '@relata/messaging';
import type { CommandContext } from './command.ts';
import { printWarning } from './result.print.ts';

const waitMs = 1_000;

/** Tells the other processes to forget what they remember of a key. They would by themselves, only later. */
export async function announceKeyChange({ natsUrl, stack }: CommandContext, hash: string): Promise<void> {
  const messaging = stack.use(new Messaging({ url: natsUrl, name: 'relata-cli' }));
  if (await messaging.connected(waitMs)) messaging.tell(keyChanged, { hash });
  else printWarning('NATS cannot be reached, so the running services were not told: it holds within 30 seconds.');
}
