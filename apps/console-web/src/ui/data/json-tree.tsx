import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { Button } from '../controls/button.tsx';
import { jsonEntries, jsonOf, type Key } from '../text/json.ts';
import css from './data.module.css';

const childrenShown = 100;
const textShown = 2_000;

interface JsonTreeProps {
  value: unknown;
  name?: string;
  label?: string;
  openDepth?: number;
  /** Renders a single value with its name; `keys` is the path to it. */
  leaf?: (name: string, value: unknown, keys: readonly Key[]) => ReactNode;
  after?: (value: unknown, keys: readonly Key[]) => ReactNode;
}

/**
 * Shows JSON as a tree that opens level by level, and large parts only on request. Up and Down move between rows; Left
 * and Right close and open.
 */
export function JsonTree({ name = 'payload', label, openDepth = 2, leaf = plainLeaf, ...rest }: JsonTreeProps) {
  return (
    <ul className={css.tree} aria-label={label} onKeyDown={onArrow}>
      <Node {...rest} name={name} openDepth={openDepth} leaf={leaf} keys={[]} />
    </ul>
  );
}

type NodeProps = Required<Pick<JsonTreeProps, 'name' | 'openDepth' | 'leaf'>> &
  Pick<JsonTreeProps, 'value' | 'after'> & { keys: readonly Key[] };

function Node(props: NodeProps) {
  const { name, value, keys, leaf, after } = props;
  return (
    <li>
      {typeof value === 'object' && value !== null ? (
        <Branch {...props} value={value} />
      ) : (
        <>
          {leaf(name, value, keys)}
          {after?.(value, keys)}
        </>
      )}
    </li>
  );
}

function Branch({ name, value, keys, ...rest }: NodeProps & { value: object }) {
  const [isOpen, setOpen] = useState(keys.length < rest.openDepth);
  const [shown, setShown] = useState(childrenShown);
  const entries = jsonEntries(value);
  return (
    <>
      <button type="button" className={css.value} data-row aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span aria-hidden>{isOpen ? '▾' : '▸'}</span> {name} <span className={css.name}>{sizeText(value)}</span>
      </button>
      {rest.after?.(value, keys)}
      {isOpen && (
        <ul>
          {entries.slice(0, shown).map(([key, child]) => (
            <Node key={key} {...rest} name={String(key)} value={child} keys={[...keys, key]} />
          ))}
          {entries.length > shown && (
            <li>
              <Button onClick={() => setShown(shown + childrenShown)}>{entries.length - shown} more</Button>
            </li>
          )}
        </ul>
      )}
    </>
  );
}

/** Returns the number of items or members: `[3]`, `{2}`. */
export const sizeText = (value: object) =>
  Array.isArray(value) ? `[${value.length}]` : `{${Object.keys(value).length}}`;

const plainLeaf: NodeProps['leaf'] = (name, value, keys) => (
  <span className={css.value}>
    {/* A text that is not JSON has no name. */}
    {keys.length > 0 && <span className={css.name}>{name} </span>}
    <Leaf value={value} />
  </span>
);

/** Shows a single value. A long text is cut off, and shown in full on request. */
export function Leaf({ value }: { value: unknown }) {
  const [isWhole, setWhole] = useState(false);
  const text = jsonOf(value) ?? 'undefined';
  if (text.length <= textShown || isWhole) return <bdi>{text}</bdi>;
  return (
    <>
      <bdi>{text.slice(0, textShown)}…</bdi>{' '}
      <Button onClick={() => setWhole(true)}>All {text.length} characters</Button>
    </>
  );
}

const steps: Record<string, 1 | -1> = { ArrowDown: 1, ArrowUp: -1 };

function onArrow(event: KeyboardEvent<HTMLElement>): void {
  const row = event.target as HTMLElement;
  const isOpen = row.getAttribute('aria-expanded');
  const toggles =
    (event.key === 'ArrowLeft' && isOpen === 'true') || (event.key === 'ArrowRight' && isOpen === 'false');
  const step = steps[event.key];
  if (!toggles && step === undefined) return;
  event.preventDefault();
  if (toggles) return row.click();
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-row]')];
  rows[rows.indexOf(row) + step!]?.focus();
}
