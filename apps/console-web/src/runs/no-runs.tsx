import { useCall } from '../api/queries.ts';
import type { ListedTrigger } from '../api/types.ts';
import { OrgLink, useOrg } from '../shell/org.ts';
import { TriggerLink } from '../triggers/trigger-link.tsx';
import { ShellCommand } from '../ui/controls/copy.tsx';
import { option, relata } from '../ui/controls/shell-command.ts';
import { Empty } from '../ui/data/empty.tsx';

export function NoRuns() {
  const { id: org, can } = useOrg();
  const triggers = useCall('listTriggers', {}).data?.data;
  if (!triggers) return null;
  const next = triggers.find(({ active, workflows }) => active && workflows.length > 0) ?? triggers[0];
  return (
    <Empty title="No runs yet">
      <p>Each delivery to a trigger starts a run of every workflow assigned to the trigger.</p>
      {next ? (
        <TriggerLink id={next.id}>{actOf(next)}</TriggerLink>
      ) : (
        <OrgLink to="/o/$org/triggers">{can('manage') ? 'Create the first trigger' : 'View triggers'}</OrgLink>
      )}
      <ShellCommand label="CLI command:">{commandOf(next, org)}</ShellCommand>
    </Empty>
  );
}

const actOf = ({ name, workflows }: ListedTrigger) =>
  workflows.length > 0 ? `Send a request to ${name}` : `Assign a workflow to ${name}`;

function commandOf(next: ListedTrigger | undefined, org: string): string {
  if (!next) return relata('triggers', 'create', '--org', org, ...option('name', 'NAME'));
  const { id, workflows } = next;
  return workflows.length > 0 ? relata('triggers', 'test', id) : relata('triggers', 'assign', id, 'WORKFLOW');
}
