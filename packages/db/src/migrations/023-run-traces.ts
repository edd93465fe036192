import type { Migration } from '../migration.ts';

/** Makes a run part of the trace of its delivery, whichever worker executes it and however much later. */
export const runTraces: Migration = {
  name: '023-run-traces',
  sql: `
    -- As the header of the same name has it; NULL where the receiver kept no traces, and of older runs.
    ALTER TABLE workflow_runs ADD COLUMN traceparent text;
  `,
};
