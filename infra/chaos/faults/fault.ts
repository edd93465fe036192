import type { TestBed } from '../test-bed/test-bed.ts';

/** Something that goes wrong. What was broken runs again when `inject` returns. */
export interface Fault {
  name: string;
  /** What it is done to: two faults at the same time are never done to the same. */
  on: 'postgres' | 'nats' | 'worker' | 'receiver';
  /** Only where several NATS servers share their streams. */
  needsCluster?: boolean;
  inject(bed: TestBed): Promise<void>;
}
