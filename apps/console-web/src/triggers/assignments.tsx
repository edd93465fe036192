import { useState } from 'react';
import { refresh } from '../api/queries.ts';
import type { Trigger } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { Button } from '../ui/controls/button.tsx';
import { CliCommand } from '../ui/controls/copy.tsx';
import { relata } from '../ui/controls/shell-command.ts';
import { Empty } from '../ui/data/empty.tsx';
import { DescriptionList } from '../ui/data/description-list.tsx';
import { Confirm } from '../ui/overlay/confirm.tsx';
import { notify } from '../ui/overlay/notices.tsx';
import css from './triggers.module.css';
import { TriggerLink } from './trigger-link.tsx';
import { textOfSource } from './map/source-text.ts';

type Assignment = Trigger['assignments'][number];

export function Assignments({ trigger }: { trigger: Trigger }) {
  const org = useOrg();
  if (trigger.assignments.length > 0)
    return trigger.assignments.map((assignment) => (
      <AssignmentView key={assignment.workflow_id} trigger={trigger} assignment={assignment} />
    ));
  return (
    <Empty title="No workflows assigned">
      <p>Deliveries are stored. Once a workflow is assigned, you can replay them.</p>
      {org.can('manage') ? (
        <TriggerLink id={trigger.id} search={{ tab: 'map' }}>
          Map a workflow
        </TriggerLink>
      ) : (
        <p>Ask an admin of {org.name} to assign one.</p>
      )}
    </Empty>
  );
}

function AssignmentView({ trigger, assignment }: { trigger: Trigger; assignment: Assignment }) {
  const { workflow_id: id, workflow, inputs, filter } = assignment;
  const { can } = useOrg();
  const rows = Object.entries(inputs).map(
    ([input, from]) => [input, <code key={input}>{textOfSource(from)}</code>] as const,
  );
  return (
    <div className={css.assignment}>
      <h3>{workflow}</h3>
      <DescriptionList
        facts={[['Filter', filter ? <code key="filter">{filter}</code> : 'None (all deliveries)'], ...rows]}
      />
      {can('manage') && (
        <div className={css.acts}>
          <TriggerLink id={trigger.id} search={{ tab: 'map', workflow: id }}>
            Edit mapping
          </TriggerLink>
          <Unassign trigger={trigger} id={id} workflow={workflow} />
        </div>
      )}
    </div>
  );
}

function Unassign({ trigger, id, workflow }: { trigger: Trigger; id: string; workflow: string }) {
  const { call } = useOrg();
  const [isAsking, setAsking] = useState(false);
  const unassign = async () => {
    await call('unassignWorkflow', { params: { id: trigger.id }, body: { workflow_id: id } });
    await refresh('getTrigger', 'listTriggers');
    notify(`${trigger.name} no longer starts ${workflow}.`);
  };
  return (
    <>
      <Button variant="danger" onClick={() => setAsking(true)}>
        Unassign
      </Button>
      {isAsking && (
        <Confirm title={`Unassign ${workflow}?`} act="Unassign" onClose={() => setAsking(false)} onConfirm={unassign}>
          <p>This deletes the mapping and the filter. Current runs continue, and new deliveries are still stored.</p>
          <CliCommand command={relata('triggers', 'unassign', trigger.id, workflow)} />
        </Confirm>
      )}
    </>
  );
}
