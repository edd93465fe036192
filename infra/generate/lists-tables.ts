import { listIndexes } from '@relata/records';
import { listFilters, resources } from '@relata/schemas';
import { alignTable, fillPlace } from './senders/markdown.ts';

type List = (typeof resources)[number];

/** Writes the tables of the lists, their sort orders and their filters into `docs/lists.md`. */
export function listsPage(present: string): string {
  const withLists = fillPlace(
    present,
    'lists',
    alignTable(['List', 'Path', '`sort`', '`q` searches', '`expand`'], resources.map(listRow)),
  );
  return fillPlace(withLists, 'filters', alignTable(['Field', ...resources.map(nameOf)], filterRows()));
}

const nameOf = ({ countName }: List) => countName;

function listRow(resource: List): string[] {
  const { list, expansions, operations } = resource;
  const { sorts = [], search = [] } = list as { sorts?: readonly string[]; search?: readonly string[] };
  return [
    nameOf(resource),
    `\`${operations.list.path}\``,
    ['id', ...sorts].map(marked).join(', '),
    search.map(code).join(', '),
    Object.keys(expansions).map(code).join(', '),
  ];
}

/** Returns a row per field, with the operators that each list has for it. */
function filterRows(): string[][] {
  const columns = resources.map(operatorsOf);
  const fields = new Set(columns.flatMap((each) => [...each.keys()]));
  return [...fields].map((field) => [marked(field), ...columns.map((each) => operatorsText(each.get(field) ?? []))]);
}

/** Returns the operators of a list by field, including its contract filters. */
function operatorsOf({ filters, list }: List): Map<string, string[]> {
  const always = Object.keys(filters).map((field) => ({ field, operator: 'equals' }));
  const all = [...always, ...listFilters(list).values()];
  const byField = Map.groupBy(all, ({ field }) => field);
  const ordered = [...byField].toSorted(([a], [b]) => Number(b === 'id') - Number(a === 'id'));
  return new Map(ordered.map(([field, each]) => [field, each.map(({ operator }) => operator)]));
}

const comparisons = new Set(['gt', 'gte', 'lt', 'lte']);

function operatorsText(operators: readonly string[]): string {
  const single = operators.filter((each) => !comparisons.has(each));
  const texts = single.map((each) => (each === 'equals' ? '`=`' : code(`[${each}]`)));
  return [...texts, ...(single.length < operators.length ? ['range'] : [])].join(' ');
}

const needsIndex = new Set(listIndexes.filter(({ isDefault }) => !isDefault).map(({ name }) => name.split('.')[1]!));
const code = (name: string) => `\`${name}\``;
const marked = (name: string) => code(name) + (needsIndex.has(name) ? '\\*' : '');
