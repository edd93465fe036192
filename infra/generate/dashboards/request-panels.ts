import type { Panel } from './panel.ts';
import { average, quantile, rate, share, sum } from './promql.ts';

const durations = 'http_request_duration_seconds';
const count = `${durations}_count`;

/** Lines of a panel: the operations of one app, or all apps. */
type By = 'operation' | 'app';

export function requests(by: By): Panel {
  return {
    title: `Requests by ${by}`,
    description:
      'Look for a line that leaves its usual range.' +
      (by === 'operation' ? ' `none` counts paths without an operation: probes, pages, wrong URLs.' : ''),
    unit: 'reqps',
    queries: { [`{{${by}}}`]: sum(by, rate(count)) },
  };
}

export const answers: Panel = {
  title: 'Responses by status',
  description: '5xx are errors of Relata, 429 are limits, other 4xx are errors of clients. Look for a line that grows.',
  unit: 'reqps',
  queries: { '{{status}}': sum('status', rate(count)) },
};

export function failed(by: By): Panel {
  return {
    title: `Failed by ${by} (5xx)`,
    description:
      'The share of requests that were answered with 5xx. It should be 0. If it is not, search the log for `"level":"error"`.',
    unit: 'percentunit',
    queries: { [`{{${by}}}`]: share(count, by, 'status=~"5.."') },
    alerts: ['RelataServerErrors'],
    // The alert combines all operations of an app.
    ...(by === 'app' && { drawsAlerts: true }),
  };
}

/** Returns the panel of a quantile of the duration. Leaves out operations that last as long as their callers want. */
export function duration(part: number, by: By, lasting: readonly string[]): Panel {
  return {
    title: `p${part * 100} by ${by}`,
    description:
      `${Math.round(part * 100)} of 100 requests took no longer.` +
      (lasting.length === 0 ? '' : ` Excludes ${lasting.join(' and ')}, which last as long as their callers want.`) +
      ' Look for the line that rises first: other requests wait behind it.',
    unit: 's',
    queries: { [`{{${by}}}`]: quantile(part, durations, by, without(lasting)) },
  };
}

export function refused(by: By): Panel {
  return {
    title: `Refused by rate limits, by ${by}`,
    description:
      'Answers with 429. The access log has the key of each request. A caller who is always refused has a loop or needs a higher limit.',
    unit: 'reqps',
    queries: { [`{{${by}}}`]: sum(by, rate(count, 'status="429"')) },
    alerts: ['RelataRequestsRefused'],
  };
}

/** Returns panels of long-lasting operations: how many end, and how long they last. */
export function lastingPanels(lasting: readonly string[], what: string): Panel[] {
  const where = `operation=~"${lasting.join('|')}"`;
  return [
    {
      title: `${what} that ended`,
      description: 'By status. If many end at once, a proxy, a deployment or a limit (429, 503) has closed them.',
      unit: 'reqps',
      queries: { '{{operation}} {{status}}': sum('operation, status', rate(count, where)) },
    },
    {
      title: 'Average duration',
      description: 'Of operations that ended. If it falls to the timeout of a proxy, the proxy closes them.',
      unit: 's',
      queries: { '{{operation}}': average(durations, 'operation', where) },
    },
  ];
}

/** Returns panels with current numbers of an app. */
export function requestValues(lasting: readonly string[], slow: Pick<Panel, 'alerts' | 'drawsAlerts'> = {}): Panel[] {
  return [
    {
      title: 'Requests',
      description: 'Per second, of all operations.',
      unit: 'reqps',
      isValue: true,
      queries: { requests: sum('', rate(count)) },
    },
    {
      title: 'Failed',
      description: 'Share of responses with 5xx.',
      unit: 'percentunit',
      isValue: true,
      queries: { failed: share(count, '', 'status=~"5.."') },
      alerts: ['RelataServerErrors'],
      drawsAlerts: true,
    },
    {
      title: 'Refused',
      description: 'Share of responses with 429.',
      unit: 'percentunit',
      isValue: true,
      queries: { refused: share(count, '', 'status="429"') },
      alerts: ['RelataRequestsRefused'],
      drawsAlerts: true,
    },
    {
      title: 'p99',
      description: '99 % of the requests took no longer. Streams are left out.',
      unit: 's',
      isValue: true,
      queries: { p99: quantile(0.99, durations, '', without(lasting)) },
      ...slow,
    },
  ];
}

const without = (operations: readonly string[]) =>
  operations.length === 0 ? undefined : `operation!~"${operations.join('|')}"`;
