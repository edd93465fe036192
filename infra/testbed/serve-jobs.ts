import type { LoadReply } from './load.ts';

/**
 * Runs the jobs that a `LoadProcess` sends to this process, and replies with the result or the error of each. Passes
 * messages about the current job to `onNotice`.
 */
export function serveJobs<Job extends object, Result>(
  run: (job: Job) => Promise<Result>,
  onNotice: (message: string) => void = () => {},
): void {
  process.on('message', (job: Job | string) => {
    if (typeof job === 'string') return onNotice(job);
    const reply = (message: LoadReply<Result>) => process.send?.(message);
    run(job).then(
      (result) => reply({ result }),
      (error: unknown) => reply({ error: error instanceof Error ? error.message : String(error) }),
    );
  });
  process.once('disconnect', () => process.exit());
}

/**
 * Measures the CPU time of this process. The returned function reports it, with the elapsed time and the used share of
 * one core.
 */
export function watchOwnCpu(): () => { seconds: number; cpuSeconds: number; cpuShare: number } {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  return () => {
    const seconds = (performance.now() - startedAt) / 1_000;
    const { user, system } = process.cpuUsage(before);
    const cpuSeconds = (user + system) / 1e6;
    return { seconds, cpuSeconds, cpuShare: cpuSeconds / seconds };
  };
}
