import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Program } from '@relata/testbed/program';
import { until } from '@relata/testbed/until';

const probeTimeoutMs = 5_000;
/** Equals `failureThreshold` of the readiness probe in infra/kubernetes. */
const failuresMax = 2;
/**
 * Number of probes during the time that a replica drains. Two of them detect the stop within a tenth of that time; the
 * rest of it is for late probes and requests in flight. In Kubernetes a pod stops being an endpoint when it is deleted,
 * so the drain need not be longer than the `periodSeconds` of its probe.
 */
const probesInDrain = 20;
const nowhere = 'http://127.0.0.1:1';

/** Status of a readiness probe; undefined if nothing answered. */
type Probed = number | undefined;

type Replica = Pick<Program, 'name' | 'url' | 'ending'>;

/**
 * A load balancer for the replicas of one app, which sends requests to the ready ones in turn. Like a Service in
 * Kubernetes, it learns from probes which replicas are ready, so it notices a stop some probes late.
 */
export class Rotation implements Disposable {
  /** Results of the probes of each replica, without consecutive repeats. */
  readonly probed = new Map<Replica, Probed[]>();
  readonly #probeMs: number;
  readonly #ready: Replica[] = [];
  readonly #agent = new Agent({ keepAlive: true });
  readonly #stop = new AbortController();
  #turn = 0;

  constructor(drainMs: number) {
    this.#probeMs = drainMs / probesInDrain;
  }

  /** Address of the next replica. Each read advances to the replica after it. */
  get url(): string {
    return this.#ready[this.#turn++ % this.#ready.length]?.url ?? nowhere;
  }

  /** Adds a replica, and returns once the replica receives requests. */
  async add(replica: Replica): Promise<void> {
    this.probed.set(replica, []);
    void this.#watch(replica);
    await until(`${replica.name} is ready`, () => this.#ready.includes(replica));
  }

  /** Probes a replica until its process has ended. A probe that was not answered in time does not prove the end. */
  async #watch(replica: Replica): Promise<void> {
    const probed = this.probed.get(replica)!;
    let failures = 0;
    for (let isGone = false; !isGone && !this.#stop.signal.aborted;) {
      const status = await this.#probe(replica);
      if (probed.length === 0 || probed.at(-1) !== status) probed.push(status);
      failures = status === 200 ? 0 : failures + 1;
      if (failures === 0) this.#set(replica, true);
      if (failures >= failuresMax) this.#set(replica, false);
      isGone = status === undefined && replica.ending() !== undefined;
      await pause(this.#probeMs, undefined, { signal: this.#stop.signal }).catch(() => {});
    }
  }

  #set(replica: Replica, isReady: boolean): void {
    const at = this.#ready.indexOf(replica);
    if (isReady && at < 0) this.#ready.push(replica);
    if (!isReady && at >= 0) this.#ready.splice(at, 1);
  }

  #probe({ url }: Replica): Promise<Probed> {
    return new Promise((resolve) => {
      const options = { agent: this.#agent, signal: AbortSignal.timeout(probeTimeoutMs) };
      const sent = request(`${url}/health/ready`, options, (response) => {
        response.on('error', () => undefined).resume();
        resolve(response.statusCode);
      });
      sent.on('error', () => resolve(undefined)).end();
    });
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
    this.#agent.destroy();
  }
}
