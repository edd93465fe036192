import { useMemo, useState } from 'react';
import { OrgLink } from '../shell/org.ts';
import type { Delivery } from '../api/types.ts';
import { type BodyView, bodyViews } from '../search-params.ts';
import { Panel } from '../shell/page.tsx';
import { Copied, CopyButton } from '../ui/controls/copy.tsx';
import { DescriptionList } from '../ui/data/description-list.tsx';
import { JsonTree, Leaf, sizeText } from '../ui/data/json-tree.tsx';
import { LongText } from '../ui/data/long-text.tsx';
import { readPayload } from '../ui/text/json.ts';
import css from './deliveries.module.css';
import { Button } from '../ui/controls/button.tsx';
import { type Field, bodyFields } from './fields.ts';

const names: Record<BodyView, string> = { tree: 'Tree', raw: 'Raw', fields: 'Fields', headers: 'Headers' };

export function Body({ delivery, show = 'tree' }: { delivery: Delivery; show: BodyView | undefined }) {
  return (
    <Panel title="Body" actions={<CopyButton text={delivery.body} label="Copy raw" />}>
      <nav className={css.views} aria-label="Show as">
        {bodyViews.map((view) => (
          <OrgLink
            key={view}
            to="/o/$org/deliveries"
            search={(before) => ({ ...before, id: delivery.id, show: view })}
            activeProps={{}}
            aria-current={view === show || undefined}
            resetScroll={false}
            replace
          >
            {names[view]}
          </OrgLink>
        ))}
      </nav>
      {show === 'raw' ? (
        <LongText text={delivery.body} label={names.raw} />
      ) : (
        <div className={css.body} tabIndex={0} role="region" aria-label={names[show]}>
          <View delivery={delivery} as={show} />
        </div>
      )}
    </Panel>
  );
}

function View({ delivery: { body, headers }, as }: { delivery: Delivery; as: Exclude<BodyView, 'raw'> }) {
  const json = useMemo(() => readPayload(body, headers), [body, headers]);
  if (as === 'headers') return <DescriptionList facts={Object.entries(headers)} />;
  if (as === 'tree') return <JsonTree value={json ? json.value : body} />;
  return json ? <FieldList value={json.value} /> : <p>The body is not JSON. Open Raw to see it.</p>;
}

const fieldsShown = 100;
const nameShown = 1_000;

/** The values of a body, one per line, with the paths that mappings use. */
function FieldList({ value }: { value: unknown }) {
  const [shown, setShown] = useState(fieldsShown);
  const fields = useMemo(() => bodyFields(value, shown + 1), [value, shown]);
  return (
    <>
      <ul className={css.fields} aria-label="Fields">
        {fields.slice(0, shown).map((field) => (
          <li key={field.place.expression}>
            <Name field={field} />
            <Value value={field.value} />
          </li>
        ))}
      </ul>
      {fields.length > shown && <Button onClick={() => setShown(shown + fieldsShown)}>Show more fields</Button>}
    </>
  );
}

/** Path of a value. For a value without a path, shows the expression that searches and filters can use. */
function Name({ field: { place, hasPath } }: { field: Field }) {
  const name = hasPath ? place.path : place.expression;
  return (
    <span>
      {name.length > nameShown ? <code>{name.slice(0, nameShown)}…</code> : <Copied text={name} />}
      {!hasPath && <small> expressions only</small>}
    </span>
  );
}

function Value({ value }: { value: unknown }) {
  if (typeof value === 'object' && value !== null) return <span>{sizeText(value)}</span>;
  return (
    <span>
      <Leaf value={value} />
    </span>
  );
}
