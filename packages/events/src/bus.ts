import type { Broadcast, Messaging, WorkQueue } from '@relata/messaging';

/**
 * The service through which an operation publishes its changes, after the commit. Both methods resolve when the message
 * has been sent or is known to be lost, and never reject: a lost message only causes a delay.
 */
export interface Bus {
  /** Publishes to all other processes. */
  publish<Message>(broadcast: Broadcast<Message>, message: Message): Promise<void>;
  /** Adds a message to a work queue, from which one process takes it. */
  enqueue<Message>(queue: WorkQueue<Message>, message: Message): Promise<void>;
}

/** Creates the bus of a process with a connection to NATS. */
export function busOn(messaging: Messaging): Bus {
  return {
    publish: async (broadcast, message) => messaging.publish(broadcast, message),
    enqueue: async (queue, message) => void messaging.enqueue(queue, message),
  };
}

/** The bus of an installation without running processes: it drops every message. */
export const noopBus: Bus = { publish: async () => undefined, enqueue: async () => undefined };
