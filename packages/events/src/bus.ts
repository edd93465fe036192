import type { Broadcast, Messaging, WorkQueue } from '@relata/messaging';

/**
 * Where an operation publishes what it changed, after the commit. Both methods resolve when the message has been sent or
 * is known to be lost, and never reject: a lost message only makes something happen later.
 */
export interface Bus {
  /** Publishes to all other processes. */
  publish<Message>(broadcast: Broadcast<Message>, message: Message): Promise<void>;
  /** Puts a message on a work queue, for one process to take. */
  enqueue<Message>(queue: WorkQueue<Message>, message: Message): Promise<void>;
}

/** The bus of a process that keeps a connection to NATS. */
export function busOn(messaging: Messaging): Bus {
  return {
    publish: async (broadcast, message) => messaging.publish(broadcast, message),
    enqueue: async (queue, message) => void messaging.enqueue(queue, message),
  };
}

/** The bus of an installation of which no process runs yet: it drops every message. */
export const noBus: Bus = { publish: async () => undefined, enqueue: async () => undefined };
