import css from './audit.module.css';
import type { AnswerOf } from '../api/types.ts';

/** Shows each changed field before and after. For a created or removed object, shows all fields that may be shown. */
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
  if (changed) return changed.map((field) => fieldChange(field, previous, record));
  const fields = Object.keys(record).filter((field) => !isLeftOut(field));
  const isEnd = /\.(removed|unassigned|deleted)$/.test(type);
  return fields.map((field) => ({ field, [isEnd ? 'before' : 'after']: record[field] }));
}

/** Returns the values of a changed field. A field in neither record is hidden, because it may be a credential. */
function fieldChange(field: string, previous: Event['record'], record: Event['record']): FieldChange {
  const isHidden = !(field in previous) && !(field in record);
  return { field, before: previous[field], after: record[field], isHidden };
}

const charactersMax = 120;

function Value({ value }: { value: unknown }) {
  if (value === undefined || value === null) return <span>–</span>;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return <code>{text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text}</code>;
}

export type Event = AnswerOf<'listAudit'>['data'][number];
