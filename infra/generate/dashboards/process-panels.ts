import type { Panel } from './panel.ts';
import { rate, selected, sum } from './promql.ts';

/** Lines of a panel: the replicas of one app, or the replica of each app with the highest value. */
type By = 'instance' | 'app';

const max = (by: By, expression: string) => ({ [`{{${by}}}`]: `max by (${by}) (${expression})` });

export const processes: Panel = {
  title: 'Processes',
  description: 'Processes that Prometheus scrapes. Compare them with your deployment.',
  unit: 'short',
  isValue: true,
  queries: { processes: `count(${selected('relata_info')})` },
  alerts: ['RelataProcessDown'],
};

export const eventLoopNow: Panel = {
  title: 'Loop lag',
  description: 'How long the busiest process keeps its other requests waiting.',
  unit: 's',
  isValue: true,
  queries: { lag: `max(${selected('nodejs_eventloop_lag_p99_seconds')})` },
  alerts: ['RelataEventLoopSlow'],
  drawsAlerts: true,
};

export function eventLoopLag(by: By): Panel {
  return {
    title: 'Event loop lag (p99)',
    description: 'How long a process is busy at a time. Beyond 50 ms it lacks CPU, or does one long piece of work.',
    unit: 's',
    queries: max(by, selected('nodejs_eventloop_lag_p99_seconds')),
    alerts: ['RelataEventLoopSlow'],
    drawsAlerts: true,
  };
}

export function processor(by: By): Panel {
  return {
    title: 'CPU',
    description: '100 % is one core, about as much as a process can use. Add replicas before it gets there.',
    unit: 'percentunit',
    queries: max(by, rate('process_cpu_seconds_total')),
  };
}

/** Returns the panel of memory, with the limit of the containers if all have the same one. */
export function memory(by: By, limitMb?: number): Panel {
  const limit = limitMb === undefined ? '' : ` The line is the limit of its container, ${limitMb} MiB.`;
  return {
    title: 'Memory',
    description: `As counted by the operating system. A high value is normal; look for a line that rises for days.${limit}`,
    unit: 'bytes',
    queries: max(by, selected('process_resident_memory_bytes')),
    ...(limitMb !== undefined && { limit: limitMb * 1024 * 1024 }),
  };
}

export const processPanels: readonly Panel[] = [
  {
    title: 'Heap in use',
    description: 'The heap of JavaScript. Its lowest points should not rise from day to day.',
    unit: 'bytes',
    queries: max('instance', selected('nodejs_heap_size_used_bytes')),
  },
  {
    title: 'Time in garbage collection',
    description: 'Share of time. Beyond 10 % the heap is too small for the load.',
    unit: 'percentunit',
    queries: { '{{instance}}': sum('instance', rate('nodejs_gc_duration_seconds_sum')) },
  },
  {
    title: 'Open files and sockets',
    description: 'The number follows the connections of clients. If it only rises, some are never closed.',
    unit: 'short',
    queries: max('instance', selected('process_open_fds')),
  },
  {
    title: 'Uptime',
    description:
      'A line that falls to 0 is a restart. If it falls again and again, the process crashes; its last log line says why.',
    unit: 's',
    queries: { '{{instance}}': `max by (instance) (time() - ${selected('process_start_time_seconds')})` },
  },
];

export const releases: Panel = {
  title: 'Releases',
  description:
    'Processes by release and by the schema that they are made for. There should be two lines only while a release is rolled out.',
  unit: 'short',
  queries: { '{{version}}, schema {{schema}}': `count by (version, schema) (${selected('relata_info')})` },
  alerts: ['RelataReleasesMixed'],
};
