import { Gauge, type Metrics } from '@relata/runtime';

/** Maximum number of workflows with their own series within `keptMs`. Further workflows share the series `other`. */
const workflowsMax = 20;
const keptMs = 3_600_000;

/**
 * Adds a metric of failed runs by workflow. The number of workflow ids among its labels is limited, since there may be
 * many. Returns a function to call with the workflow of each failed run.
 */
export function measureFailedWorkflows(registry: Metrics, now = Date.now): (workflowId: string) => void {
  const failedAt = new Map<string, number>();
  const forgetOld = () => {
    for (const [workflow, at] of failedAt) if (at < now() - keptMs) failedAt.delete(workflow);
  };
  void new Gauge({
    name: 'workflow_last_failed_run_timestamp_seconds',
    help: 'Time at which a run of the workflow last failed for good. The series ends after an hour.',
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
