import type { Migration } from '../migration.ts';

/** Makes a run part of the trace of its delivery, no matter when and on which worker the run is executed. */
export const runTraces: Migration = {
  name: '023-run-traces',
  sql: `
    -- In the format of the header traceparent; NULL for older runs, and if tracing was disabled in the receiver.
    ALTER TABLE workflow_runs ADD COLUMN traceparent text;
  `,
};
