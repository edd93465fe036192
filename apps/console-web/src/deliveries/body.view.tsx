import { useMemo } from 'react';
import { OrgLink } from '../shell/org.ts';
import type { Delivery } from '../api/types.ts';
import { type BodyView, bodyViews } from '../search-params.ts';
import { Panel } from '../shell/page.tsx';
import { CopyButton } from '../ui/controls/copy.tsx';
import { Facts } from '../ui/data/facts.tsx';
import { JsonTree } from '../ui/data/json-tree.tsx';
import { LongText } from '../ui/data/long-text.tsx';
import { parseJson } from '../ui/text/json.ts';
import css from './deliveries.module.css';
import { FieldList } from './field-list.tsx';

const names: Record<BodyView, string> = { tree: 'Tree', raw: 'Raw', fields: 'Fields', headers: 'Headers' };

export function Body({ of, show = 'tree' }: { of: Delivery; show: BodyView | undefined }) {
  return (
    <Panel title="Body" actions={<CopyButton text={of.body} label="Copy raw" />}>
      <nav className={css.views} aria-label="Show as">
        {bodyViews.map((view) => (
          <OrgLink
            key={view}
            to="/o/$org/deliveries"
            search={(before) => ({ ...before, id: of.id, show: view })}
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
        <LongText text={of.body} label={names.raw} />
      ) : (
        <div className={css.body} tabIndex={0} role="region" aria-label={names[show]}>
          <View of={of} as={show} />
        </div>
      )}
    </Panel>
  );
}

function View({ of: { body, headers }, as }: { of: Delivery; as: Exclude<BodyView, 'raw'> }) {
  const json = useMemo(() => parseJson(body), [body]);
  if (as === 'headers') return <Facts of={Object.entries(headers)} />;
  if (as === 'tree') return <JsonTree value={json ? json.value : body} />;
  return json ? <FieldList of={json.value} /> : <p>The body is not JSON. Open Raw to see it.</p>;
}
