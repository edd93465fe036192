/** A record as an API client sees it. */
export interface Known {
  id: string;
  created_at: string;
  tags: string[];
  [field: string]: unknown;
}

interface Page {
  data: Known[];
  next_cursor?: string;
}

/** Reads all pages of a list, following the cursors. */
export async function pages(list: (query: string) => Promise<Page>, query: string): Promise<Known[]> {
  const all: Known[] = [];
  for (let cursor = ''; ;) {
    const { data, next_cursor } = await list(`${query}${cursor}`);
    all.push(...data);
    if (next_cursor === undefined) return all;
    cursor = `&cursor=${next_cursor}`;
  }
}

const any = <Value>(values: readonly Value[]): Value => values[Math.floor(Math.random() * values.length)]!;

/** Returns random queries, each with a sort order and up to three filters. */
export function randomQueries(known: readonly Known[], count: number): string[] {
  return Array.from({ length: count }, () => {
    const field = any(['id', 'amount', 'close_date', 'created_at']);
    const parameters = [['sort', `${any(['', '-'])}${field}`]];
    for (const name of new Set([any(filters), any(filters), any(filters)].slice(0, any([0, 1, 2, 3]))))
      parameters.push(...valuesFor(name, known));
    return new URLSearchParams(parameters).toString();
  });
}

const compared = ['gt', 'gte', 'lt', 'lte'];
const filters = [
  'account_id',
  'account_id[in]',
  'crm_id',
  'crm_id[in]',
  'tags[any]',
  'tags[all]',
  'amount[exists]',
  'close_date[exists]',
  'q',
  ...compared.flatMap((each) => ['amount', 'close_date', 'created_at'].map((field) => `${field}[${each}]`)),
];

function valuesFor(name: string, known: readonly Known[]): string[][] {
  const [field] = name.split('[') as [string];
  if (name.endsWith('[exists]')) return [[name, any(['true', 'false'])]];
  if (name === 'q') return [[name, any(['sa', 'SALE', 'north', 'sale no', 'sale 12', 'so', 'nor west', 'none'])]];
  if (field === 'tags')
    return Array.from({ length: any([1, 2]) }, () => [name, any(['vip', 'press', 'a,b', '%_', 'none'])]);
  const values = known.flatMap((record) => (record[field] == null ? [] : [textOf(record[field])]));
  return Array.from({ length: name.endsWith('[in]') ? any([1, 3]) : 1 }, () => [name, any(values)]);
}

/** Returns the text of a value in a query. */
const textOf = (value: unknown) => (typeof value === 'number' ? String(value) : (value as string));

/** Selects and sorts records as the API must do. */
export function selectIn(known: readonly Known[], query: string): Known[] {
  const parameters = new URLSearchParams(query);
  const sort = parameters.get('sort') ?? 'id';
  const names = [...new Set(parameters.keys())].filter((name) => filters.includes(name));
  const matching = known.filter((record) => names.every((name) => matches(record, name, parameters.getAll(name))));
  return matching.toSorted(comparing(sort.replace(/^-/, ''), sort.startsWith('-') ? -1 : 1));
}

function comparing(field: string, sign: number) {
  return (a: Known, b: Known): number => {
    const [x, y] = [a[field] ?? undefined, b[field] ?? undefined] as (string | number | undefined)[];
    if (x !== y) {
      if (x === undefined) return 1;
      if (y === undefined) return -1;
      return x < y ? -sign : sign;
    }
    return a.id < b.id ? -sign : sign;
  };
}

function matches(record: Known, name: string, values: readonly string[]): boolean {
  const [field, operator] = name.replace(']', '').split('[') as [string, string | undefined];
  const own = record[field] ?? undefined;
  const [value] = values as [string];
  if (name === 'q') {
    const words = (record['opportunity_name'] as string).toLowerCase().split(' ');
    return value
      .toLowerCase()
      .split(' ')
      .every((begun) => words.some((word) => word.startsWith(begun)));
  }
  if (operator === 'exists') return (own !== undefined) === (value === 'true');
  if (operator === 'any') return values.some((each) => record.tags.includes(each));
  if (operator === 'all') return values.every((each) => record.tags.includes(each));
  if (own === undefined) return false;
  if (operator === undefined || operator === 'in') return values.includes(textOf(own));
  const [x, y] = typeof own === 'number' ? [own, Number(value)] : [own as string, value];
  if (operator.startsWith('g')) return x > y || (operator === 'gte' && x === y);
  return x < y || (operator === 'lte' && x === y);
}
