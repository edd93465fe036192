import { isForm, jsonInForm, readWholeForm } from '@relata/schemas/form-body';
import { type JsonLeaf, jsonLeaves } from './json-leaves.ts';

/** A field by which people recognize a delivery. */
export interface PreviewField {
  /** Path as in the mapping of an input: `payload.user.email`. */
  path: string;
  /** Its value as text, cut at 80 characters. */
  value: string;
}

/** The beginning of a delivery, cut anywhere. */
export interface DeliveryHead {
  body: string;
  headers: Readonly<Record<string, string>>;
}

const leavesMax = 200;
const depthMax = 8;
const valueCharactersMax = 80;

/**
 * Patterns of the last name of a path, in lower case and without `_` and `-`. The most informative names come first.
 */
const kinds = [
  /mail/,
  /^(x.*)?(event(type|name)?|topic|action)$|^type$/,
  /^(.*name|title|subject)$/,
  /^(company|organi[sz]ation|status|state|plan|message|text|description)$/,
  /^(.*id|number|key|code)$/,
];

interface Candidate extends PreviewField {
  isMapped: boolean;
  /** Index in `kinds`; a lower value is more informative. */
  kind: number;
  depth: number;
}

/**
 * Returns the two most informative fields of a delivery: fields that are mapped to an input first, then by the order of
 * `kinds`, then by depth. The second field has a different value from the first and, among equally mapped fields, a
 * different kind if possible.
 */
export function previewFields(head: DeliveryHead, mapped: ReadonlySet<string>): PreviewField[] {
  const candidates = [...ofHeaders(head, mapped), ...ofBody(head, mapped)];
  const first = mostInformative(candidates);
  if (!first) return [];
  const others = candidates.filter(({ value }) => value !== first.value);
  const second = mostInformative(others, first.kind);
  return [first, ...(second ? [second] : [])].map(({ path, value }) => ({ path, value }));
}

function mostInformative(candidates: readonly Candidate[], known?: number): Candidate | undefined {
  const order = ({ isMapped, kind, depth }: Candidate) => [Number(!isMapped), Number(kind === known), kind, depth];
  const [first] = candidates.toSorted((one, other) => compare(order(one), order(other)));
  return first;
}

function compare(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((value, place) => value !== other[place]);
  return at === -1 ? 0 : one[at]! - other[at]!;
}

/** Yields mapped headers and the headers that name the event. Most other headers are the same for all deliveries. */
function* ofHeaders({ headers }: DeliveryHead, mapped: ReadonlySet<string>): Generator<Candidate> {
  for (const [name, value] of Object.entries(headers)) {
    const candidate = candidateOf(`headers.${name}`, name, value, 0, mapped);
    if (candidate && (candidate.isMapped || candidate.kind === 1)) yield candidate;
  }
}

function* ofBody(head: DeliveryHead, mapped: ReadonlySet<string>): Generator<Candidate> {
  let seen = 0;
  for (const { keys, text } of leavesOf(head)) {
    if (seen++ === leavesMax) return;
    const path = ['payload', ...keys].join('.');
    const name = keys.findLast((key) => typeof key === 'string') ?? '';
    const candidate = keys.length <= depthMax && candidateOf(path, String(name), text, keys.length, mapped);
    if (candidate) yield candidate;
  }
}

function* leavesOf({ body, headers }: DeliveryHead): Generator<JsonLeaf> {
  const fields = isForm(headers) ? readWholeForm(body) : undefined;
  const json = fields ? jsonInForm(fields) : body;
  if (json !== undefined) return yield* jsonLeaves(json);
  for (const [name, value] of Object.entries(fields!)) yield { keys: [name], text: [value].flat()[0]! };
}

function candidateOf(
  path: string,
  name: string,
  text: string,
  depth: number,
  mapped: ReadonlySet<string>,
): Candidate | undefined {
  const value = shortened(text);
  if (value === '') return undefined;
  const plain = name.toLowerCase().replaceAll(/[_-]/g, '');
  const kind = kinds.findIndex((pattern) => pattern.test(plain));
  return { path, value, depth, isMapped: mapped.has(path), kind: kind === -1 ? kinds.length : kind };
}

/** Returns a text as one line, cut at 80 characters but not within a surrogate pair. */
function shortened(text: string): string {
  const line = text
    .slice(0, valueCharactersMax * 4)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length <= valueCharactersMax
    ? line
    : `${line.slice(0, valueCharactersMax).replace(/[\ud800-\udbff]$/, '')}…`;
}
