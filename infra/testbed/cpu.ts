import { readFile } from 'node:fs/promises';

/** Clock ticks per second in /proc, which Linux has fixed at 100 on all common hardware. */
const ticksPerSecond = 100;

/** Seconds of processor time by process. NaN on systems other than Linux. */
export type CpuSeconds<Name extends string> = Record<Name, number>;

/** Runs `work`, and measures the processor time of some processes meanwhile. */
export async function withCpu<Name extends string, Result>(
  pids: Record<Name, number>,
  work: () => Promise<Result>,
): Promise<{ result: Result; cpu: CpuSeconds<Name> }> {
  const names = Object.keys(pids) as Name[];
  const all = () => Promise.all(names.map((name) => cpuSeconds(pids[name])));
  const before = await all();
  const result = await work();
  const after = await all();
  const used = names.map((name, i) => [name, after[i]! - before[i]!] as const);
  return { result, cpu: Object.fromEntries(used) as CpuSeconds<Name> };
}

/** Returns the processor time of a process so far, in seconds, including its children, ended or not. */
async function cpuSeconds(pid: number): Promise<number> {
  const own = await ticksOf(pid, 4);
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const theirs = children.trim().split(' ').filter(Boolean);
  const ticks = await Promise.all(theirs.map((child) => ticksOf(Number(child), 2)));
  return ticks.reduce((sum, some) => sum + (some || 0), own) / ticksPerSecond;
}

/** Returns the sum of utime and stime, or with four fields also of cutime and cstime. See proc_pid_stat(5). */
async function ticksOf(pid: number, fields: 2 | 4): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const after = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (after.length < 15) return Number.NaN;
  return after.slice(11, 11 + fields).reduce((sum, field) => sum + Number(field), 0);
}
