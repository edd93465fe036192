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
  const kind = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {name ?? 'payload'} <span className={css.name}>{kind}</span>
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

function Leaf({ value }: { value: unknown }) {
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
