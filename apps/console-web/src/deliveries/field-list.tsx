import { useMemo, useState } from 'react';
import { Button } from '../ui/controls/button.tsx';
import { Copied } from '../ui/controls/copy.tsx';
import { Leaf, sizeText } from '../ui/data/json-tree.tsx';
import css from './deliveries.module.css';
import { type Field, fieldsOf } from './fields.ts';

const fieldsShown = 100;
const nameShown = 1_000;

/** Each value of a body on a line of its own, with the path by which the mapping of an input takes it. */
export function FieldList({ of }: { of: unknown }) {
  const [shown, setShown] = useState(fieldsShown);
  const fields = useMemo(() => fieldsOf(of, shown + 1), [of, shown]);
  return (
    <>
      <ul className={css.fields} aria-label="Fields">
        {fields.slice(0, shown).map((field) => (
          <li key={field.place.expression}>
            <Name of={field} />
            <Value of={field.value} />
          </li>
        ))}
      </ul>
      {fields.length > shown && <Button onClick={() => setShown(shown + fieldsShown)}>Show more fields</Button>}
    </>
  );
}

/** Returns the expression of a value that no path reaches, for searches and filters. */
function Name({ of: { place, hasPath } }: { of: Field }) {
  const name = hasPath ? place.path : place.expression;
  return (
    <span>
      {name.length > nameShown ? <code>{name.slice(0, nameShown)}…</code> : <Copied text={name} />}
      {!hasPath && <small> expressions only</small>}
    </span>
  );
}

function Value({ of }: { of: unknown }) {
  if (typeof of === 'object' && of !== null) return <span>{sizeText(of)}</span>;
  return (
    <span>
      <Leaf value={of} />
    </span>
  );
}
