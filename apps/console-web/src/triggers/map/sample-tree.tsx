import { type KeyboardEvent, useState } from 'react';
import { Button } from '../../ui/controls/button.tsx';
import css from './map.module.css';
import { entriesOf, isMappable, type Place, placeIn } from './place.ts';

const childrenShown = 100;
const openDepth = 3;
const shownCharacters = 120;

export type OnPick = (place: Place, value: unknown) => void;

interface SampleTreeProps {
  label: string;
  value: unknown;
  at: Place;
  /** Inputs by the path that they are taken from. */
  uses: ReadonlyMap<string, string>;
  /** Undefined where nothing is mapped: the tree is then only shown. */
  onPick: OnPick | undefined;
}

/** A delivery as a tree whose values can be picked. Up and Down go from row to row, Left and Right close and open. */
export function SampleTree({ label, value, at, uses, onPick }: SampleTreeProps) {
  return (
    <ul className={css.tree} aria-label={label} onKeyDown={onArrow}>
      <Node name={at.path} value={value} at={at} depth={0} uses={uses} onPick={onPick} />
    </ul>
  );
}

type NodeProps = Pick<SampleTreeProps, 'value' | 'at' | 'uses' | 'onPick'> & { name: string; depth: number };

function Node(props: NodeProps) {
  return typeof props.value === 'object' && props.value !== null ? <Branch {...props} /> : <Leaf {...props} />;
}

function Leaf({ name, value, at, uses, onPick }: NodeProps) {
  const text = JSON.stringify(value);
  const shown = text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
  const words = (
    <>
      <span className={css.name}>{name}</span> <bdi>{shown}</bdi>
    </>
  );
  return (
    <li>
      {onPick && isMappable(at) ? (
        <button type="button" className={css.value} data-row onClick={() => onPick(at, value)}>
          {words}
        </button>
      ) : (
        <span className={css.value}>{words}</span>
      )}
      <Use of={uses.get(at.path)} />
    </li>
  );
}

function Branch({ name, value, at, depth, uses, onPick }: NodeProps) {
  const [isOpen, setOpen] = useState(depth < openDepth);
  const [shown, setShown] = useState(childrenShown);
  const entries = entriesOf(value);
  const size = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
  return (
    <li>
      <button type="button" className={css.value} data-row aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span aria-hidden>{isOpen ? '▾' : '▸'}</span> {name} <span className={css.name}>{size}</span>
      </button>
      {onPick && isMappable(at) && (
        <button
          type="button"
          className={css.whole}
          aria-label={`Use all of ${at.path}`}
          onClick={() => onPick(at, value)}
        >
          {' '}
          use all{' '}
        </button>
      )}
      <Use of={uses.get(at.path)} />
      {isOpen && (
        <ul>
          {entries.slice(0, shown).map(([key, child]) => (
            <Node
              key={key}
              name={String(key)}
              value={child}
              at={placeIn(at, key)}
              depth={depth + 1}
              uses={uses}
              onPick={onPick}
            />
          ))}
          {entries.length > shown && (
            <li>
              <Button onClick={() => setShown(shown + childrenShown)}>{entries.length - shown} more</Button>
            </li>
          )}
        </ul>
      )}
    </li>
  );
}

function Use({ of }: { of: string | undefined }) {
  return of === undefined ? null : <span className={css.use}>→ {of}</span>;
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
