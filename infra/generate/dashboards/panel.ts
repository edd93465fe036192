/** Units by the names that Grafana has for them. */
type Unit = 'bytes' | 'ops' | 'percentunit' | 'reqps' | 's' | 'short';

export interface Panel {
  title: string;
  /** Says what to look for. */
  description: string;
  unit: Unit;
  /** PromQL by the name of its lines, which may hold `{{label}}`. `promql.ts` says what `{@}` is. */
  queries: Readonly<Record<string, string>>;
  /** Shows the number of now in place of lines. */
  isValue?: true;
  /** Alerts of `relata.rules.yml` that a person looks at this panel for. */
  alerts?: readonly string[];
  /** The panel shows what its alerts compare, so that their thresholds are drawn. */
  drawsAlerts?: true;
  /** A line that is drawn too, in red. */
  limit?: number;
}

export interface Section {
  title: string;
  panels: readonly Panel[];
}
