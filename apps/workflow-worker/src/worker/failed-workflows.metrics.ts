import { Gauge, type Metrics } from '@relata/runtime';

/** Maximum number of workflows with a series of their own within `keptMs`; further ones share `other`. */
const workflowsMax = 20;
const keptMs = 3_600_000;

/**
 * Adds the metric that names workflows with failed runs. Ids are not a fixed set of labels, so their number is limited.
 * Returns a function to call with the workflow of each run that failed.
 */
export function measureFailedWorkflows(registry: Metrics, now = Date.now): (workflowId: string) => void {
  const failedAt = new Map<string, number>();
  const forgetOld = () => {
    for (const [workflow, at] of failedAt) if (at < now() - keptMs) failedAt.delete(workflow);
  };
  void new Gauge({
    name: 'workflow_last_failed_run_timestamp_seconds',
    help: 'Time at which a run of the workflow last failed for good, for an hour.',
    labelNames: ['workflow'],
    registers: [registry],
    collect() {
      forgetOld();
      this.reset();
      for (const [workflow, at] of failedAt) this.set({ workflow }, at / 1_000);
    },
  });
  return (workflowId) => {
    forgetOld();
    const hasSeries = failedAt.has(workflowId) || failedAt.size < workflowsMax;
    failedAt.set(hasSeries ? workflowId : 'other', now());
  };
}
