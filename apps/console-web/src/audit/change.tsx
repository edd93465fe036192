import css from './audit.module.css';
import type { OutputOf } from '../api/types.ts';
import { isEmpty } from '../ui/data/record-fields.tsx';

/** Shows each changed field before and after. For a created or removed object, shows all fields that have a value. */
export function Change({ event }: { event: Event }) {
  if (event.erased) return <span>Content erased</span>;
  return (
    <ul className={css.change}>
      {changesOf(event).map(({ field, before, after, isHidden }) => (
        <li key={field}>
          <span>{field}</span>{' '}
          {isHidden ? (
            <span>changed (hidden)</span>
          ) : (
            <>
              <Value value={before} /> → <Value value={after} />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

interface FieldChange {
  field: string;
  before?: unknown;
  after?: unknown;
  isHidden?: boolean;
}

/** True for a field that another column shows, or that has no meaning for readers. */
const isLeftOut = (field: string) => /^(id|created_at|updated_at)$/.test(field);

function changesOf({ type, changed, previous = {}, record }: Event): FieldChange[] {
  if (changed) return changed.flatMap((field) => fieldChanges(field, previous, record));
  const fields = Object.keys(record).filter((field) => !isLeftOut(field) && !isEmpty(record[field]));
  const isEnd = /\.(removed|unassigned|deleted)$/.test(type);
  return fields.map((field) => ({ field, [isEnd ? 'before' : 'after']: record[field] }));
}

/**
 * Returns the values of a changed field before and after; for an object, only the members that differ. A field that
 * neither record contains is hidden, because it may be a credential.
 */
function fieldChanges(field: string, previous: Event['record'], record: Event['record']): FieldChange[] {
  const [before, after] = [previous[field], record[field]];
  if (!isObject(before) || !isObject(after))
    return [{ field, before, after, isHidden: !(field in previous) && !(field in record) }];
  const names = Object.keys({ ...before, ...after });
  const differing = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return differing.map((name) => ({ field: `${field}.${name}`, before: before[name], after: after[name] }));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const charactersMax = 120;

function Value({ value }: { value: unknown }) {
  if (value === undefined || value === null) return <span>–</span>;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return <code>{text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text}</code>;
}

export type Event = OutputOf<'listAudit'>['data'][number];
