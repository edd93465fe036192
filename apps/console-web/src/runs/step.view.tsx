import { useCall } from '../api/queries.ts';
import type { Run, RunStep } from '../api/types.ts';
import { Panel } from '../shell/page.tsx';
import { DataList } from '../ui/data/data-list.tsx';
import { JsonTree } from '../ui/data/json-tree.tsx';
import { Loaded } from '../ui/data/loaded.tsx';
import { TimeOfDay, duration } from '../ui/data/time.tsx';
import { explained } from './error-text.ts';
import css from './runs.module.css';

type Step = Run['steps'][number];

export function StepView({ run, step }: { run: Run; step: Step }) {
  const state = `${step.status} ${step.attempts} ${step.finished_at}`;
  const values = useCall('getRunStep', { params: { id: run.id }, query: { path: step.path } }, { state });
  return (
    <Panel title={step.path} actions={<span className={css.use}>{step.use}</span>}>
      <div className={css.part}>
        {step.error && (
          <p className={css.error}>
            {explained(step.error)} <code>{step.error.code}</code>
          </p>
        )}
        <Loaded query={values} lines={2}>
          {({ data }) => <Values step={data} />}
        </Loaded>
      </div>
      {step.failures.length > 0 && <Failures step={step} />}
    </Panel>
  );
}

function Values({ step: { input, output } }: { step: RunStep }) {
  return (
    <>
      {input !== null && input !== undefined && <JsonTree value={input} name="input" />}
      {output !== null && output !== undefined && <JsonTree value={output} name="output" />}
    </>
  );
}

function Failures({ step: { failures } }: { step: Step }) {
  return (
    <DataList
      label="Failed attempts"
      rows={failures}
      keyOf={({ attempt, started_at }) => `${attempt} ${started_at}`}
      columns={[
        { head: 'Attempt', isNarrow: true, cell: ({ attempt }) => attempt },
        { head: 'Time', isNarrow: true, cell: ({ started_at }) => <TimeOfDay time={started_at} /> },
        {
          head: 'Duration',
          isNumber: true,
          cell: ({ started_at, finished_at }) => duration(Date.parse(finished_at) - Date.parse(started_at)),
        },
        { head: 'Error', cell: ({ error }) => explained(error) },
      ]}
    />
  );
}
