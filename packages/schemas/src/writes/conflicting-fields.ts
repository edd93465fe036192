import { isRecord } from '../fields/is-record.ts';

/** A field in two parts of an upsert that exclude each other. */
interface Conflict {
  part: 'fill' | 'add';
  name: string;
  message: string;
}

/** Fields that are ignored wherever they are given. */
const ignored = new Set(['id', 'created_at', 'updated_at']);

/** Returns the fields that are in both `fill` and `set`, or in `add` and one of these. */
export function conflictingFields({ set, fill, add }: Readonly<Record<string, unknown>>): Conflict[] {
  const names = { set: namesIn(set), fill: namesIn(fill), add: namesIn(add) };
  return (['fill', 'add'] as const).flatMap((part) =>
    [...names[part]].flatMap((name) => {
      const other = names.set.has(name) ? 'set' : 'fill';
      if (other === part || !names[other].has(name)) return [];
      return [{ part, name, message: `Must be in \`${part}\` or \`${other}\`, not in both.` }];
    }),
  );
}

function namesIn(values: unknown): Set<string> {
  const given = isRecord(values) ? Object.keys(values).filter((name) => values[name] !== undefined) : [];
  return new Set(given.filter((name) => !ignored.has(name)));
}
