import type { Panel } from './panel.ts';
import { rate, selected, sum } from './promql.ts';

/** Lines are replicas of one app, or the highest replica of each app. */
type By = 'instance' | 'app';

const max = (by: By, expression: string) => ({ [`{{${by}}}`]: `max by (${by}) (${expression})` });

export const processes: Panel = {
  title: 'Processes',
  description: 'Those that Prometheus reads. Compare it with what you have deployed.',
  unit: 'short',
  isValue: true,
  queries: { processes: `count(${selected('relata_info')})` },
  alerts: ['RelataProcessDown'],
};

export const eventLoopNow: Panel = {
  title: 'Loop lag',
  description: 'For how long the busiest process keeps all others of its requests waiting.',
  unit: 's',
  isValue: true,
  queries: { lag: `max(${selected('nodejs_eventloop_lag_p99_seconds')})` },
  alerts: ['RelataEventLoopSlow'],
  drawsAlerts: true,
};

export function eventLoopLag(by: By): Panel {
  return {
    title: 'Event loop lag (p99)',
    description: 'How long a process is busy at a time. Beyond some 50 ms it lacks processor, or does one large thing.',
    unit: 's',
    queries: max(by, selected('nodejs_eventloop_lag_p99_seconds')),
    alerts: ['RelataEventLoopSlow'],
    drawsAlerts: true,
  };
}

export function processor(by: By): Panel {
  return {
    title: 'Processor',
    description: '100 % is one core, which is about what a process can use. Near it, add replicas.',
    unit: 'percentunit',
    queries: max(by, rate('process_cpu_seconds_total')),
  };
}

/** With the limit of the containers where it is the same for all. */
export function memory(by: By, limitMb?: number): Panel {
  const limit = limitMb === undefined ? '' : ` The line is the limit of its container, ${limitMb} MiB.`;
  return {
    title: 'Memory',
    description: `What the system counts. It may stand high; look for one that rises for days.${limit}`,
    unit: 'bytes',
    queries: max(by, selected('process_resident_memory_bytes')),
    ...(limitMb !== undefined && { limit: limitMb * 1024 * 1024 }),
  };
}

export const processPanels: readonly Panel[] = [
  {
    title: 'Heap in use',
    description: 'Of JavaScript, after and before collections. Its lowest points should not rise from day to day.',
    unit: 'bytes',
    queries: max('instance', selected('nodejs_heap_size_used_bytes')),
  },
  {
    title: 'Time in garbage collection',
    description: 'The share of time. Beyond a tenth the heap is too small for the load.',
    unit: 'percentunit',
    queries: { '{{instance}}': sum('instance', rate('nodejs_gc_duration_seconds_sum')) },
  },
  {
    title: 'Open files and sockets',
    description: 'It follows the connections of clients. One that only rises loses some.',
    unit: 'short',
    queries: max('instance', selected('process_open_fds')),
  },
  {
    title: 'Running for',
    description:
      'A line that falls to 0 is a restart; one that does so again and again is a process that dies. Its last log line says why.',
    unit: 's',
    queries: { '{{instance}}': `max by (instance) (time() - ${selected('process_start_time_seconds')})` },
  },
];

export const releases: Panel = {
  title: 'Releases',
  description:
    'Processes by release and by the schema that they are made for. Two lines only while a release is rolled out.',
  unit: 'short',
  queries: { '{{version}}, schema {{schema}}': `count by (version, schema) (${selected('relata_info')})` },
  alerts: ['RelataReleasesMixed'],
};
