import { Gauge, type Metrics, Recent } from '@relata/runtime';
import type { RunAges } from '@relata/workflows/execution';

/** Reads from the database and NATS. Each read happens at most once per `keptMs`, however often metrics are scraped. */
export interface ServiceReads {
  /** Returns the number of runs in the database by state. */
  open(): Promise<Record<string, number>>;
  ages(): Promise<RunAges>;
  queue(): Promise<{ waiting: number; unconfirmed: number }>;
  /** Returns the bytes that NATS stores on disk for this installation, and the limit; null if there is none. */
  storage(): Promise<{ used: number; most: number | null }>;
}

const keptMs = 5_000;

interface RecentGauge {
  name: string;
  help: string;
  label: string;
  registers: Metrics[];
  /** Time for which the values are reused, in ms. */
  keptMs: number;
}

/** Registers a gauge with several labelled values. It has no values while they cannot be read. */
export function measureRecent(given: RecentGauge, read: () => Promise<object>): void {
  const { label, keptMs: lastMs, ...gauge } = given;
  const recent = new Recent(read, { keptMs: lastMs });
  void new Gauge({
    ...gauge,
    labelNames: [label],
    async collect() {
      const values = Object.entries((await recent.get()) ?? {});
      this.reset();
      for (const [name, value] of values) if (typeof value === 'number') this.set({ [label]: name }, value);
    },
  });
}

/**
 * Registers gauges for the whole service; each worker reports the same values. Reports nothing while the database or
 * NATS is unavailable.
 */
export function measureWholeService(registers: Metrics[], { open, ages, queue, storage }: ServiceReads): void {
  const gauge = (name: string, help: string, read: () => Promise<object>) =>
    measureRecent({ name, help, label: 'state', registers, keptMs }, read);
  gauge('workflow_runs_open', 'Unfinished runs of the whole service, by state.', open);
  gauge(
    'workflow_oldest_due_run_seconds',
    'Time for which the oldest run has been due: queued, or started and without a worker. Excludes workflows ' +
      'with a limit.',
    ages,
  );
  gauge(
    'workflow_queue_messages',
    'Messages in the JetStream queue of runs: waiting for a worker, or delivered and not yet acknowledged.',
    async () => {
      const { waiting, unconfirmed } = await queue();
      return { waiting, unconfirmed };
    },
  );
  gauge(
    'nats_storage_bytes',
    'Disk space of the NATS account in bytes: used, and the limit if there is one.',
    async () => {
      const { used, most } = await storage();
      return { used, limit: most };
    },
  );
}
