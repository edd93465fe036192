import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Panel } from '../shell/page.tsx';
import { CliCommand } from '../ui/controls/copy.tsx';
import { relata } from '../ui/controls/shell-command.ts';
import { Empty } from '../ui/data/empty.tsx';
import { Filters, SelectFilter } from '../ui/data/filters.tsx';
import { LoadedRecord } from '../ui/data/loaded.tsx';
import { Applied } from './applied.tsx';
import { definitionText } from './definition-text.ts';
import { Diff } from './diff.view.tsx';
import { useWorkflow } from './use-workflow.ts';
import css from './workflows.module.css';

/** Compares two versions; by default the newest with its predecessor. */
export function ComparePage() {
  const { id } = useParams({ from: '/signed-in/o/$org/workflows/$id' });
  const search = useSearch({ from: '/signed-in/o/$org/workflows/$id/compare' });
  const workflow = useWorkflow(id);
  return (
    <LoadedRecord query={workflow}>
      {({ data: { newest_version: newest } }) => {
        const b = search.b ?? newest;
        const a = search.a ?? Math.max(1, b - 1);
        return newest === 1 && a === b ? (
          <Panel>
            <Empty title="Only one version">Once you publish a second version, you can compare the two here.</Empty>
          </Panel>
        ) : (
          <Comparison id={id} a={a} b={b} newest={newest} />
        );
      }}
    </LoadedRecord>
  );
}

interface ComparisonProps {
  id: string;
  a: number;
  b: number;
  newest: number;
}

function Comparison({ id, a, b, newest }: ComparisonProps) {
  const navigate = useNavigate({ from: '/o/$org/workflows/$id/compare' });
  const choose = (chosen: { a?: number } | { b?: number }) =>
    void navigate({ search: { a, b, ...chosen }, replace: true });
  return (
    <>
      <Filters>
        <VersionFilter
          label="From"
          anyName="Previous version"
          value={a}
          newest={newest}
          onChange={(version) => choose({ a: version })}
        />
        <VersionFilter
          label="To"
          anyName="Newest version"
          value={b}
          newest={newest}
          onChange={(version) => choose({ b: version })}
        />
      </Filters>
      <Panel>
        <Both id={id} a={a} b={b} />
      </Panel>
      <CliCommand
        command={[a, b].map((version) => relata('workflows', 'show', id, '--version', String(version))).join('\n')}
      />
    </>
  );
}

function Both({ id, a, b }: Omit<ComparisonProps, 'newest'>) {
  const before = useWorkflow(id, a);
  const after = useWorkflow(id, b);
  return (
    <LoadedRecord query={before}>
      {({ data: old }) => (
        <LoadedRecord query={after}>
          {({ data: changed }) => (
            <>
              <p className={css.diffHead}>
                Version {b} was published <Applied by={changed.applied_by} at={changed.created_at} />
                {changed.note && `: ${changed.note}`}
              </p>
              <Diff
                label={`From version ${a} to version ${b}`}
                before={definitionText(old.definition)}
                after={definitionText(changed.definition)}
              />
            </>
          )}
        </LoadedRecord>
      )}
    </LoadedRecord>
  );
}

const offeredMax = 100;

interface VersionFilterProps {
  label: string;
  anyName: string;
  value: number;
  newest: number;
  onChange: (version: number | undefined) => void;
}

/** Selects a version: one of the newest hundred, or the one in the address. */
function VersionFilter({ label, anyName, value, newest, onChange }: VersionFilterProps) {
  const offered = Array.from({ length: Math.min(newest, offeredMax) }, (_, i) => newest - i);
  const versions = offered.includes(value) ? offered : [...offered, value];
  return (
    <SelectFilter
      label={label}
      anyName={anyName}
      value={String(value)}
      options={versions.map((version) => [String(version), `Version ${version}`])}
      onChange={(chosen) => onChange(chosen === undefined ? undefined : Number(chosen))}
    />
  );
}
