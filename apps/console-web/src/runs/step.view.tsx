import type { Run } from '../api/types.ts';
import { Panel } from '../shell/page.tsx';
import { DataList } from '../ui/data/data-list.tsx';
import { JsonTree } from '../ui/data/json-tree.tsx';
import { Clock, duration } from '../ui/data/time.tsx';
import css from './runs.module.css';

type Step = Run['steps'][number];

/** What a step was given, what came of it, and each attempt that failed. */
export function StepView({ step }: { step: Step }) {
  return (
    <Panel title={step.path} actions={<span className={css.use}>{step.use}</span>}>
      <div className={css.part}>
        {step.error && (
          <p className={css.error}>
            {step.error.message} <code>{step.error.code}</code>
          </p>
        )}
        {step.input !== null && step.input !== undefined && <JsonTree value={step.input} name="input" />}
        {step.output !== null && step.output !== undefined && <JsonTree value={step.output} name="output" />}
      </div>
      {step.failures.length > 0 && <Failures of={step} />}
    </Panel>
  );
}

function Failures({ of: { failures } }: { of: Step }) {
  return (
    <DataList
      label="Failed attempts"
      rows={failures}
      keyOf={({ attempt }) => String(attempt)}
      columns={[
        { head: 'Attempt', isNarrow: true, cell: ({ attempt }) => attempt },
        { head: 'At', isNarrow: true, cell: ({ started_at }) => <Clock of={started_at} /> },
        {
          head: 'Took',
          isNumber: true,
          cell: ({ started_at, finished_at }) => duration(Date.parse(finished_at) - Date.parse(started_at)),
        },
        { head: 'Error', cell: ({ error }) => error.message },
      ]}
    />
  );
}
