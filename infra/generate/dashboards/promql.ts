/** Replaces `{@}` in an expression with label matchers, like `{job=~"$job"}`; `{@,status="429"}` has one more. */
export function select(expression: string, selection: string): string {
  return expression.replaceAll('{@', `{${selection}`);
}

/** Selects all apps of an installation, by the variables that all dashboards have. */
export const installation = 'job=~"$job",namespace=~"$namespace"';

export function selected(metric: string, where = ''): string {
  return where === '' ? `${metric}{@}` : `${metric}{@,${where}}`;
}

export function rate(metric: string, where?: string): string {
  return `rate(${selected(metric, where)}[$__rate_interval])`;
}

/** Sums an expression, over all series if no label is given. */
export function sum(by: string, expression: string): string {
  return by === '' ? `sum(${expression})` : `sum by (${by}) (${expression})`;
}

export function quantile(part: number, histogram: string, by: string, where?: string): string {
  const labels = by === '' ? 'le' : `${by}, le`;
  return `histogram_quantile(${part}, ${sum(labels, rate(`${histogram}_bucket`, where))})`;
}

/** Returns three quantiles of a histogram, by the names of their lines. */
export function quantiles(histogram: string): Record<string, string> {
  return Object.fromEntries([0.5, 0.95, 0.99].map((part) => [`p${part * 100}`, quantile(part, histogram, '')]));
}

export function average(histogram: string, by: string, where?: string): string {
  return `${sum(by, rate(`${histogram}_sum`, where))} / ${sum(by, rate(`${histogram}_count`, where))}`;
}

/** Returns the share of a counter's rate that comes from the series that match `part`; 0 if no series matches. */
export function share(counter: string, by: string, part: string): string {
  const all = sum(by, rate(counter));
  return `(${sum(by, rate(counter, part))} or ${all} * 0) / ${all}`;
}

/** Returns a matcher for a list of names. The compiler checks the names. */
export function anyOf<Name extends string>(label: string, names: readonly Name[]): string {
  return `${label}=~"${names.join('|')}"`;
}

/** Returns a metric of the whole service, which each worker reports with the same value. */
export function ofService(metric: string, label = 'state'): string {
  return `max by (${label}) (${selected(metric)})`;
}
