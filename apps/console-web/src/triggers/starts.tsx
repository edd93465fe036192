import type { Trigger } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { Command, Terminal } from '../ui/controls/copy.tsx';
import { relata } from '../ui/controls/shell-command.ts';
import { Empty } from '../ui/data/empty.tsx';
import { Facts } from '../ui/data/facts.tsx';
import css from './triggers.module.css';

type Assignment = Trigger['assignments'][number];

/** The workflows that a delivery starts, and what each is given. */
export function Starts({ of }: { of: Trigger }) {
  const org = useOrg();
  const command = relata('triggers', 'assign', of.id, 'WORKFLOW', '--input', 'email=payload.user.email');
  if (of.assignments.length === 0)
    return (
      <Empty title="It starts nothing yet.">
        <p>What comes in is kept, and can be replayed once a workflow is assigned.</p>
        {org.can('manage') && <Command label="Assign a workflow:">{command}</Command>}
      </Empty>
    );
  return (
    <>
      {of.assignments.map((assignment) => (
        <AssignmentView key={assignment.workflow_id} of={assignment} />
      ))}
      {org.can('manage') && (
        <div className={css.part}>
          <Terminal command={command} />
        </div>
      )}
    </>
  );
}

function AssignmentView({ of: { workflow, inputs, filter } }: { of: Assignment }) {
  const rows = Object.entries(inputs).map(
    ([input, from]) => [input, <code key={input}>{sourceText(from)}</code>] as const,
  );
  return (
    <div className={css.assignment}>
      <h3>{workflow}</h3>
      <Facts of={[['Only when', filter ? <code key="filter">{filter}</code> : 'always'], ...rows]} />
    </div>
  );
}

function sourceText(from: Assignment['inputs'][string]): string {
  return typeof from === 'string' ? from : `= ${JSON.stringify(from.const)}`;
}
