import type { Service } from '@relata/service';
import { settings } from './settings.ts';

export const service = {
  name: 'console',
  prefix: '/console',
  settings,
  // Few people ask little of it at a time: all of these give up some speed of searches for memory. docs/benchmarks.md has
  // what each takes off.
  nodeOptions: [
    '--max-semi-space-size=2',
    // The old generation may grow by this share, rather than by 8 MB, from one collection to the next.
    '--memory-saver-mode',
    '--heap-growing-percent=20',
    // The copies that a collection makes to close gaps are on top of all else.
    '--compaction-max-evacuated-bytes-mb-for-optimize-memory=1',
    '--no-memory-pool',
    // It takes 10 MB to compile, and 5 MB more of Node's program is loaded. Maglev compiles what is hot.
    '--no-turbofan',
  ],
  // One heap of malloc, which gives back what is freed: a compiler's zones come in pieces of 8 kB and more.
  environment: { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '8192', MALLOC_TRIM_THRESHOLD_: '131072' },
  load: () => import('./start.ts'),
} as const satisfies Service<typeof settings>;
