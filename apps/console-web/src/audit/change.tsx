import type { Event } from './event.ts';
import css from './audit.module.css';

/** Each field that changed, before and after; of a new record what it was made with. */
export function Change({ of: { changed, previous, record } }: { of: Event }) {
  if (!changed) return null;
  return (
    <ul className={css.change}>
      {changed.map((field) => (
        <li key={field}>
          <span>{field}</span> <Value of={previous?.[field]} /> → <Value of={record[field]} />
        </li>
      ))}
    </ul>
  );
}

const charactersMax = 120;

function Value({ of }: { of: unknown }) {
  if (of === undefined || of === null) return <span>–</span>;
  const text = typeof of === 'string' ? of : JSON.stringify(of);
  return <code>{text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text}</code>;
}
