import {
  type Broadcast,
  keyChanged,
  Messaging,
  runsPerMessageMax,
  runsReady,
  triggersChanged,
} from '@relata/messaging';
import type { CommandContext } from './command.ts';
import { printWarning } from './result.print.ts';

const waitMs = 1_000;
const triggersPerMessageMax = 1_000;

/** Tells the other processes to forget what they remember of a key. They would by themselves, only later. */
export function announceKeyChange(context: CommandContext, hash: string): Promise<void> {
  return announce(context, keyChanged, [{ hash }], 'within 30 seconds');
}

/** Tells the receivers to forget what they remember of triggers. They would by themselves, only later. */
export function announceTriggerChange(context: CommandContext, ids: readonly string[]): Promise<void> {
  const messages = chunksOf(ids, triggersPerMessageMax).map((some) => ({ ids: some }));
  return announce(context, triggersChanged, messages, 'within 5 seconds');
}

async function announce<Message>(
  context: CommandContext,
  broadcast: Broadcast<Message>,
  messages: readonly Message[],
  otherwise: string,
): Promise<void> {
  if (messages.length === 0) return;
  const messaging = await connect(context);
  if (messaging) for (const message of messages) messaging.tell(broadcast, message);
  else printWarning(`NATS cannot be reached, so the running services were not told: it holds ${otherwise}.`);
}

/** Wakes workers for runs. Without NATS they find them by themselves, a little later. */
export async function ringWorkers(
  context: CommandContext,
  runs: readonly { org_id: string; id: string }[],
): Promise<void> {
  if (runs.length === 0) return;
  const messaging = await connect(context);
  for (const some of chunksOf(runs, runsPerMessageMax))
    messaging?.ring(runsReady, { runs: some.map(({ org_id: orgId, id }) => [orgId, id]) });
}

async function connect({ nats, stack }: CommandContext): Promise<Messaging | undefined> {
  const messaging = stack.use(new Messaging({ ...nats, name: 'relata-cli' }));
  return (await messaging.connected(waitMs)) ? messaging : undefined;
}

function chunksOf<Item>(all: readonly Item[], max: number): Item[][] {
  return Array.from({ length: Math.ceil(all.length / max) }, (_, i) => all.slice(i * max, (i + 1) * max));
}
