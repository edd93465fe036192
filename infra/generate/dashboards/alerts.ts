import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: 'page' | 'ticket' };
}

const text = readFileSync(new URL('../../prometheus/relata.rules.yml', import.meta.url), 'utf8');
const { groups } = parse(text) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

/** Color and value of a threshold line in Grafana. */
export interface Threshold {
  color: string;
  value: number | null;
}

const colors = { page: 'red', ticket: 'orange' };

/**
 * Returns the threshold of an alert: the first number that its rule compares with. The list is empty if the rule
 * compares with a calculated value.
 */
export function thresholdsOf(alert: string): Threshold[] {
  const { expr, labels } = ruleOf(alert);
  const [, above] = /> ([\d.]+)(?![\d.]| \*)/.exec(expr) ?? [];
  return above === undefined ? [] : [{ color: colors[labels.severity], value: Number(above) }];
}

/** Returns a sentence that names the alerts of a panel. */
export function alertSentence(alerts: readonly string[]): string {
  const names = alerts.map((alert) => ruleOf(alert).alert).join(', ');
  return `Alerts: ${names}; docs/alerts.md says what to do.`;
}

function ruleOf(alert: string): Rule {
  const rule = rules.find((other) => other.alert === alert);
  if (!rule) throw new Error(`relata.rules.yml has no alert ${alert}.`);
  return rule;
}
