import type { TestBed } from '../test-bed/test-bed.ts';

/** A fault. Everything that it stopped runs again when `inject` returns. */
export interface Fault {
  name: string;
  /** Target of the fault. Two faults at the same time never have the same target. */
  on: 'postgres' | 'nats' | 'worker' | 'receiver' | 'api';
  /** True if it needs several NATS servers that share their streams. */
  needsCluster?: boolean;
  inject(bed: TestBed): Promise<void>;
}
