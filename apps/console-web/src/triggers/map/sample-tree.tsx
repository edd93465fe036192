import data from '../../ui/data/data.module.css';
import { JsonTree } from '../../ui/data/json-tree.tsx';
import { jsonOf, type Key } from '../../ui/text/json.ts';
import css from './map.module.css';
import { DottedKeys } from './dotted-keys.ts';
import { isMappable, type Place, placeIn } from './place.ts';

const openDepth = 3;
const shownCharacters = 120;

export type OnPick = (place: Place, value: unknown) => void;

interface SampleTreeProps {
  label: string;
  value: unknown;
  at: Place;
  /** Names of inputs by the path of their value. */
  uses: ReadonlyMap<string, string>;
  /** Called with the chosen value; undefined for a read-only tree. */
  onPick: OnPick | undefined;
}

export function SampleTree({ label, value, at, uses, onPick }: SampleTreeProps) {
  const placeOf = (keys: readonly Key[]) => keys.reduce<Place>(placeIn, at);
  const dotted = new DottedKeys();
  /** Returns true if a mapping with this path reads this value rather than that of a key that contains dots. */
  const canPick = (place: Place, keys: readonly Key[]) => isMappable(place) && dotted.leadsTo(value, place.path, keys);
  const leaf = (name: string, child: unknown, keys: readonly Key[]) => {
    const place = placeOf(keys);
    const text = jsonOf(child)!;
    const shown = text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
    const words = (
      <>
        <span className={css.name}>{name}</span> <bdi>{shown}</bdi>
      </>
    );
    if (!onPick || !canPick(place, keys)) return <span className={data.value}>{words}</span>;
    return (
      <button type="button" className={data.value} data-row onClick={() => onPick(place, child)}>
        {words}
      </button>
    );
  };
  const after = (child: unknown, keys: readonly Key[]) => {
    const place = placeOf(keys);
    const use = uses.get(place.path);
    const isWhole = typeof child === 'object' && child !== null && onPick && canPick(place, keys);
    return (
      <>
        {isWhole && (
          <button
            type="button"
            className={css.whole}
            aria-label={`Use all of ${place.path}`}
            onClick={() => onPick(place, child)}
          >
            use all
          </button>
        )}
        {use !== undefined && canPick(place, keys) && <span className={css.use}>→ {use}</span>}
      </>
    );
  };
  return <JsonTree {...{ label, value, openDepth, leaf, after }} name={at.path} />;
}
