/** Units, by their names in Grafana. */
type Unit = 'bytes' | 'ops' | 'percentunit' | 'reqps' | 's' | 'short';

export interface Panel {
  title: string;
  description: string;
  unit: Unit;
  /** PromQL by the name of its lines, which may contain `{{label}}`. `promql.ts` explains `{@}`. */
  queries: Readonly<Record<string, string>>;
  /** Shows the current number instead of lines. */
  isValue?: true;
  /** Alerts of `relata.rules.yml` that this panel helps to understand. */
  alerts?: readonly string[];
  /** True to draw the thresholds of its alerts, because the panel shows the value that they compare. */
  drawsAlerts?: true;
  /** Value of an additional red line. */
  limit?: number;
}

export interface Section {
  title: string;
  panels: readonly Panel[];
}
