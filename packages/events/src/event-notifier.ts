import { eventsWritten, type Messaging, writtenOrganizationsMax } from '@relata/messaging';

/** Minimum time between two messages of a process, in ms. A message names all organizations with new events. */
const gatherMs = 20;

/**
 * Notifies readers that wait for events, in this process and all others, of newly committed events. Readers also check
 * every 250 ms, so a lost message delays them by no more than that.
 */
export class EventNotifier implements Disposable {
  readonly #messaging: Pick<Messaging, 'publish'>;
  readonly #wakers: ((orgId: string) => void)[] = [];
  #written = new Set<string>();
  #gathering: NodeJS.Timeout | undefined;

  constructor(messaging: Pick<Messaging, 'publish' | 'subscribe'>) {
    this.#messaging = messaging;
    messaging.subscribe(eventsWritten, ({ orgIds }) => this.#wake(orgIds));
  }

  /**
   * Announces new events of an organization. Call it after the commit of a write. Returns at once: the first call
   * publishes, and further calls within the next 20 ms are published together.
   */
  written(orgId: string): void {
    this.#written.add(orgId);
    if (this.#gathering === undefined) this.#publish();
  }

  /** Calls `wake` with an organization for which events were written, in any process. */
  onWritten(wake: (orgId: string) => void): void {
    this.#wakers.push(wake);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#gathering);
    this.#publish();
    clearTimeout(this.#gathering);
  }

  #publish(): void {
    this.#gathering = undefined;
    if (this.#written.size === 0) return;
    const all = [...this.#written];
    this.#written = new Set();
    for (let at = 0; at < all.length; at += writtenOrganizationsMax)
      this.#messaging.publish(eventsWritten, { orgIds: all.slice(at, at + writtenOrganizationsMax) });
    // A process does not receive its own messages.
    this.#wake(all);
    this.#gathering = setTimeout(() => this.#publish(), gatherMs).unref();
  }

  #wake(orgIds: readonly string[]): void {
    for (const orgId of orgIds) for (const wake of this.#wakers) wake(orgId);
  }
}
