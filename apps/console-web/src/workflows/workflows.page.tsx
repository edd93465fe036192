import { useNavigate } from '@tanstack/react-router';
import { useCall } from '../api/queries.ts';
import type { ListedWorkflow } from '../api/types.ts';
import { OrgLink, useOrg } from '../shell/org.ts';
import { Page, Panel } from '../shell/page.tsx';
import { Button } from '../ui/controls/button.tsx';
import { ShellCommand } from '../ui/controls/copy.tsx';
import { relata } from '../ui/controls/shell-command.ts';
import { countedText, countText } from '../ui/data/count.ts';
import { DataList, rowId } from '../ui/data/data-list.tsx';
import { Empty } from '../ui/data/empty.tsx';
import { Loaded } from '../ui/data/loaded.tsx';
import { DateTime } from '../ui/data/time.tsx';
import { Applied } from './applied.tsx';
import { StartedBy } from './started-by.tsx';

export function WorkflowsPage() {
  const org = useOrg();
  const navigate = useNavigate();
  const workflows = useCall('listWorkflows', {});
  const create = () => void navigate({ to: '/o/$org/workflows/new', params: { org: org.id } });
  return (
    <Page
      title="Workflows"
      intro="A workflow processes a delivery in steps. Triggers start the workflows assigned to them."
      actions={
        org.can('manage') && (
          <Button variant="primary" shortcut="c" onClick={create}>
            New workflow
          </Button>
        )
      }
    >
      <Panel>
        <Loaded query={workflows}>
          {({ data, runs_since: since }) =>
            data.length > 0 ? (
              <>
                <WorkflowList workflows={data} />
                <Since since={since} />
              </>
            ) : (
              <NoWorkflows />
            )
          }
        </Loaded>
      </Panel>
    </Page>
  );
}

function NoWorkflows() {
  const org = useOrg();
  return (
    <Empty title="No workflows yet">
      <p>A workflow turns what a trigger receives into records, activities and calls to other systems.</p>
      {org.can('manage') ? (
        <>
          <OrgLink to="/o/$org/workflows/new">Create the first workflow</OrgLink>
          <ShellCommand label="Or publish a file with the CLI:">
            {relata('workflows', 'apply', 'inbound-lead.json', '--org', org.id)}
          </ShellCommand>
        </>
      ) : (
        <p>Ask an admin of {org.name} to publish one.</p>
      )}
    </Empty>
  );
}

const dayMs = 86_400_000;
const slackMs = 600_000;

/** Shown if so many runs started that the counts do not cover a whole day. */
function Since({ since }: { since: string }) {
  if (Date.now() - Date.parse(since) > dayMs - slackMs) return null;
  return (
    <Empty>
      <p>
        At least 10,000 runs started in the last 24 hours. Counts cover the runs since <DateTime time={since} />.
      </p>
    </Empty>
  );
}

function WorkflowList({ workflows }: { workflows: readonly ListedWorkflow[] }) {
  return (
    <DataList
      label="Workflows"
      rows={workflows}
      keyOf={rowId}
      columns={[
        {
          head: 'Name',
          cell: ({ id, name }) => (
            <OrgLink to="/o/$org/workflows/$id" params={{ id }}>
              {name}
            </OrgLink>
          ),
        },
        { head: 'Triggers', cell: ({ triggers }) => <StartedBy triggers={triggers} /> },
        { head: 'Version', isNumber: true, cell: ({ version }) => version },
        {
          head: 'Runs (24 h)',
          isNumber: true,
          cell: (workflow) => <RunCount workflow={workflow} count={workflow.runs} noun="run" />,
        },
        {
          head: 'Failed (24 h)',
          isNumber: true,
          cell: (workflow) => (
            <RunCount workflow={workflow} count={workflow.failed_runs} noun="failed run" status="failed" />
          ),
        },
        { head: 'Last published', cell: ({ applied_by: by, updated_at: at }) => <Applied by={by} at={at} /> },
      ]}
    />
  );
}

interface RunCountProps {
  workflow: ListedWorkflow;
  count: number;
  noun: string;
  status?: 'failed';
}

function RunCount({ workflow: { id, name }, count, noun, status }: RunCountProps) {
  if (count === 0) return '0';
  return (
    <OrgLink
      to="/o/$org/runs"
      search={{ workflow: id, status, last: 'day' }}
      aria-label={`${countedText(count, noun)} of ${name}`}
    >
      {countText(count)}
    </OrgLink>
  );
}
