import { Counter, Gauge, Histogram, type Metrics } from '@relata/runtime';
import { refusalReason, refusalReasons } from './refusal.ts';

export type IngestMetrics = ReturnType<typeof measureIngest>;

export function measureIngest(registry: Metrics, waiting: () => number) {
  const registers = [registry];
  const accepted = new Counter({
    name: 'webhook_deliveries_accepted_total',
    help: 'Posts that were answered with 202, by whether they were new or a repeat.',
    labelNames: ['kind'],
    registers,
  });
  const refused = new Counter({
    name: 'webhook_deliveries_refused_total',
    help: 'Posts that were refused, by reason.',
    labelNames: ['reason'],
    registers,
  });
  const batches = new Histogram({
    name: 'webhook_batch_size',
    help: 'Number of deliveries in one commit.',
    buckets: [1, 2, 5, 10, 20, 50, 100],
    registers,
  });
  const rings = new Counter({
    name: 'webhook_rings_total',
    help: 'Messages to the workers, by whether NATS was available.',
    labelNames: ['taken'],
    registers,
  });
  void new Gauge({
    name: 'webhook_queue_depth',
    help: 'Deliveries that are waiting to be stored.',
    registers,
    collect() {
      this.set(waiting());
    },
  });
  const [created, repeated] = [accepted.labels('new'), accepted.labels('repeat')];
  // The counters are 0 from the start, so that an alert sees the first increase.
  for (const kind of [created, repeated]) kind.inc(0);
  for (const reason of refusalReasons) refused.inc({ reason }, 0);
  return {
    /** Called after a batch was committed, with its size and the number of new deliveries. */
    stored(batch: number, isNew: number) {
      batches.observe(batch);
      created.inc(isNew);
      repeated.inc(batch - isNew);
    },
    /** Called for a repeat that was detected without storing a batch. */
    repeated: () => repeated.inc(),
    refused: (error: unknown) => refused.inc({ reason: refusalReason(error) }),
    /** Called for each message to the workers. `wasTaken` is false if it was dropped because NATS was unavailable. */
    notified: (wasTaken: boolean) => rings.inc({ taken: String(wasTaken) }),
  };
}
