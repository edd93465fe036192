/** Units by the names that Grafana has for them. */
type Unit = 'bytes' | 'ops' | 'percentunit' | 'reqps' | 's' | 'short';

export interface Panel {
  title: string;
  /** Says what to look for in the panel. */
  description: string;
  unit: Unit;
  /** PromQL by the name of its lines, which may contain `{{label}}`. `promql.ts` explains `{@}`. */
  queries: Readonly<Record<string, string>>;
  /** Shows the current number instead of lines. */
  isValue?: true;
  /** Alerts of `relata.rules.yml` that this panel helps to understand. */
  alerts?: readonly string[];
  /** The panel shows what its alerts compare, so that their thresholds are drawn. */
  drawsAlerts?: true;
  /** A line that is added in red. */
  limit?: number;
}

export interface Section {
  title: string;
  panels: readonly Panel[];
}
