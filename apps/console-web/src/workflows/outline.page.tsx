import { useParams, useSearch } from '@tanstack/react-router';
import { OrgLink } from '../shell/org.ts';
import type { Workflow } from '../api/types.ts';
import { Panel } from '../shell/page.tsx';
import { Id, CliCommand } from '../ui/controls/copy.tsx';
import { relata } from '../ui/controls/shell-command.ts';
import { countedText } from '../ui/data/count.ts';
import { DataList } from '../ui/data/data-list.tsx';
import { Empty } from '../ui/data/empty.tsx';
import { DescriptionList } from '../ui/data/description-list.tsx';
import { LoadedRecord } from '../ui/data/loaded.tsx';
import { Hint } from '../ui/data/error-alert.tsx';
import { Applied } from './applied.tsx';
import { type InputLine, inputLines, textIn } from './outline.ts';
import { StartedBy } from './started-by.tsx';
import { Steps } from './steps.view.tsx';
import { useWorkflow } from './use-workflow.ts';
import css from './workflows.module.css';

export function OutlinePage() {
  const { id } = useParams({ from: '/signed-in/o/$org/workflows/$id' });
  const { version, step } = useSearch({ from: '/signed-in/o/$org/workflows/$id/' });
  const workflow = useWorkflow(id, version);
  return <LoadedRecord query={workflow}>{({ data }) => <OutlineView workflow={data} step={step} />}</LoadedRecord>;
}

function OutlineView({ workflow, step }: { workflow: Workflow; step: string | undefined }) {
  const { definition } = workflow;
  return (
    <>
      {workflow.version < workflow.newest_version && <OldHint workflow={workflow} />}
      <Panel>
        <WorkflowFacts workflow={workflow} />
      </Panel>
      <Panel title="Inputs">
        <Inputs lines={inputLines(definition)} />
      </Panel>
      <Panel title="Steps">
        <Steps definition={definition} marked={step} />
      </Panel>
      <CliCommand command={relata('workflows', 'show', workflow.id, '--version', String(workflow.version))} />
    </>
  );
}

function OldHint({ workflow: { id, version, newest_version: newest } }: { workflow: Workflow }) {
  return (
    <Hint>
      <p>
        You are viewing version {version}. New runs use version {newest}.{' '}
        <OrgLink to="/o/$org/workflows/$id/compare" params={{ id }} search={{ a: version, b: newest }}>
          Compare the versions
        </OrgLink>
      </p>
    </Hint>
  );
}

function WorkflowFacts({ workflow }: { workflow: Workflow }) {
  const description = textIn(workflow.definition, 'description');
  const most = textIn(workflow.definition, 'max_running');
  return (
    <DescriptionList
      facts={[
        ...(description ? [['Description', description] as const] : []),
        ['Version', <VersionFact key="version" workflow={workflow} />],
        ['Triggers', <StartedBy key="triggers" triggers={workflow.triggers} />],
        ...(most ? [['Concurrency limit', countedText(Number(most), 'run')] as const] : []),
        [
          'Runs',
          <OrgLink key="runs" to="/o/$org/runs" search={{ workflow: workflow.id }}>
            View runs
          </OrgLink>,
        ],
        ['ID', <Id key="id" id={workflow.id} />],
      ]}
    />
  );
}

function VersionFact({ workflow: { version, applied_by: by, created_at: at, note } }: { workflow: Workflow }) {
  return (
    <>
      {version}, published <Applied by={by} at={at} />
      {note && <p className={css.note}>{note}</p>}
    </>
  );
}

function Inputs({ lines }: { lines: readonly InputLine[] }) {
  if (lines.length === 0) return <Empty>This workflow has no inputs.</Empty>;
  return (
    <DataList
      label="Inputs"
      rows={lines}
      keyOf={({ name }) => name}
      columns={[
        { head: 'Name', cell: ({ name }) => <code>{name}</code> },
        { head: 'Type', cell: ({ type }) => type },
        { head: 'If missing', cell: ({ otherwise }) => otherwise },
        { head: 'Description', cell: ({ description }) => description },
      ]}
    />
  );
}
