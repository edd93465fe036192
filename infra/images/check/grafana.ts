import { say } from '@relata/testbed/suite-program';
import { filledIn, readDashboards } from '../../generate/dashboards/read-dashboards.ts';

const base = 'http://127.0.0.1:13000';

interface Frames {
  results?: Record<string, { error?: string }>;
}

/** Requests every dashboard and the values of every panel from Grafana, like a browser. */
export async function checkGrafana(): Promise<void> {
  let asked = 0;
  for (const { uid, title, panels } of readDashboards()) {
    const found = (await ask(`/api/dashboards/uid/${uid}`)) as { dashboard: { title: string; panels: unknown[] } };
    if (found.dashboard.title !== title || found.dashboard.panels.length !== panels.length)
      throw new Error(`The dashboard ${uid} in Grafana differs from that of this release.`);
    for (const { title: panel, targets = [] } of panels) {
      if (targets.length === 0) continue;
      const { results = {} } = (await ask('/api/ds/query', queriesOf(targets))) as Frames;
      const errors = Object.values(results).flatMap(({ error }) => error ?? []);
      if (errors.length > 0) throw new Error(`The panel ${panel} of ${uid} has errors: ${errors.join(', ')}`);
      asked += 1;
    }
  }
  say(`${asked} panels load in Grafana without an error`);
}

function queriesOf(targets: readonly { expr: string }[]): object {
  const queries = targets.map(({ expr }, at) => ({
    refId: `Q${at}`,
    datasource: { uid: 'prometheus', type: 'prometheus' },
    expr: filledIn(expr),
    range: true,
    intervalMs: 15_000,
    maxDataPoints: 200,
  }));
  return { queries, from: 'now-15m', to: 'now' };
}

async function ask(path: string, body?: object): Promise<unknown> {
  const init = body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(base + path, { ...init, signal: AbortSignal.timeout(30_000) });
  if (!response.ok) throw new Error(`Grafana answered ${path} with ${response.status}: ${await response.text()}`);
  return response.json();
}
