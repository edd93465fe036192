import type { Known } from './list-selection.harness.ts';

const any = <Value>(values: readonly Value[]): Value => values[Math.floor(Math.random() * values.length)]!;

/** Returns random parameters of a summary, without filters. */
export function randomGrouping(): string {
  const group = any(['stage_id', 'owner_id', 'account_id', 'pipeline', undefined]);
  const sum = any([true, false]);
  const sort = any(sum ? ['-sum', 'sum', '-count', 'count', undefined] : ['-count', 'count', undefined]);
  const parameters = {
    ...(group && { group_by: group }),
    ...(sum && { sum: 'amount' }),
    ...(any([true, false]) && { avg: 'amount' }),
    ...(sort && { sort }),
    ...(any([true, false]) && { limit: String(any([1, 2, 3, 7, 100])) }),
    ...(any([true, false]) && { count: 'exact' }),
  };
  return new URLSearchParams(parameters).toString();
}

/** Computes a summary as the API must do. */
export function summarized(records: readonly Known[], grouping: string) {
  const parameters = new URLSearchParams(grouping);
  const [group, limit] = [parameters.get('group_by'), Number(parameters.get('limit') ?? 100)];
  const figures = (of: readonly Known[]) => figuresOf(of, parameters);
  const groups = group === null ? [] : [...Map.groupBy(records, (record) => (record[group] as string) ?? null)];
  const sorted = groups
    .map(([value, of]) => ({ value, of, units: unitsOf(of) }))
    .toSorted((a, b) => comparing(parameters.get('sort') ?? '-count', a, b));
  return {
    data: sorted.slice(0, limit).map(({ value, of }) => ({ [group!]: value, ...figures(of) })),
    all: figures(records),
    total: records.length,
    limit,
    has_more: sorted.length > limit,
  };
}

interface Group {
  value: string | null;
  of: readonly Known[];
  units: bigint;
}

function comparing(sort: string, a: Group, b: Group): number {
  const [x, y] = sort.endsWith('sum') ? [a.units, b.units] : [a.of.length, b.of.length];
  const sign = sort.startsWith('-') ? -1 : 1;
  if (x !== y) return x < y ? -sign : sign;
  if (a.value === null || b.value === null) return a.value === null ? 1 : -1;
  return Buffer.compare(Buffer.from(a.value), Buffer.from(b.value));
}

function figuresOf(records: readonly Known[], parameters: URLSearchParams) {
  const units = unitsOf(records);
  const count = BigInt(amountsOf(records).length);
  return {
    count: records.length,
    ...(parameters.has('sum') && { sum: { amount: decimal(units) } }),
    ...(parameters.has('avg') && { avg: { amount: count === 0n ? null : decimal(quotient(units, count)) } }),
  };
}

const amountsOf = (records: readonly Known[]) => records.flatMap(({ amount }) => (amount as number | undefined) ?? []);

/** Returns the sum of the amounts in ten-thousandths. */
const unitsOf = (records: readonly Known[]) =>
  amountsOf(records).reduce((sum, amount) => sum + BigInt(amount.toFixed(4).replace('.', '')), 0n);

/** Returns the quotient of two numbers, with halves rounded away from zero. */
function quotient(units: bigint, count: bigint): bigint {
  const magnitude = units < 0n ? -units : units;
  const rounded = (2n * magnitude + count) / (2n * count);
  return units < 0n ? -rounded : rounded;
}

/** Returns the number that a client parses for this number of ten-thousandths. */
function decimal(units: bigint): number {
  const digits = (units < 0n ? -units : units).toString().padStart(5, '0');
  const value = Number(`${digits.slice(0, -4)}.${digits.slice(-4)}`);
  return units < 0n ? -value : value;
}
