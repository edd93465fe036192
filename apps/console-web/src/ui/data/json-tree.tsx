import { useState } from 'react';
import { Button } from '../controls/button.tsx';
import css from './data.module.css';

const childrenShown = 100;
const textShown = 2_000;
const openDepth = 2;

/** JSON as a tree that opens level by level. Large parts are shown only when they are asked for. */
export function JsonTree({ value, name }: { value: unknown; name?: string }) {
  return (
    <div className={css.tree}>
      <Node name={name} value={value} depth={0} />
    </div>
  );
}

function Node({ name, value, depth }: { name: string | undefined; value: unknown; depth: number }) {
  if (typeof value !== 'object' || value === null)
    return (
      <div className={css.leaf}>
        {name !== undefined && <span className={css.name}>{name} </span>}
        <Leaf value={value} />
      </div>
    );
  return <Branch name={name} value={value} depth={depth} />;
}

function Branch({ name, value, depth }: { name: string | undefined; value: object; depth: number }) {
  const [isOpen, setOpen] = useState(depth < openDepth);
  const [shown, setShown] = useState(childrenShown);
  const entries = Object.entries(value);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {name ?? 'payload'} <span className={css.name}>{sizeText(value)}</span>
      </summary>
      {isOpen && (
        <ul>
          {entries.slice(0, shown).map(([key, child]) => (
            <li key={key}>
              <Node name={key} value={child} depth={depth + 1} />
            </li>
          ))}
          {entries.length > shown && (
            <li>
              <Button onClick={() => setShown(shown + childrenShown)}>{entries.length - shown} more</Button>
            </li>
          )}
        </ul>
      )}
    </details>
  );
}

/** How much is in it: `[3]`, `{2}`. */
export const sizeText = (value: object) =>
  Array.isArray(value) ? `[${value.length}]` : `{${Object.keys(value).length}}`;

/** A single value; of a long text its beginning, until all of it is asked for. */
export function Leaf({ value }: { value: unknown }) {
  const [isWhole, setWhole] = useState(false);
  const text = JSON.stringify(value) ?? 'undefined';
  if (text.length <= textShown || isWhole) return <bdi>{text}</bdi>;
  return (
    <>
      <bdi>{text.slice(0, textShown)}…</bdi>{' '}
      <Button onClick={() => setWhole(true)}>All {text.length} characters</Button>
    </>
  );
}
