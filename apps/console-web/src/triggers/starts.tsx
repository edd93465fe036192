import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { refresh } from '../api/queries.ts';
import type { Trigger } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { Button } from '../ui/controls/button.tsx';
import { Terminal } from '../ui/controls/copy.tsx';
import { relata } from '../ui/controls/shell-command.ts';
import { Empty } from '../ui/data/empty.tsx';
import { Facts } from '../ui/data/facts.tsx';
import { Confirm } from '../ui/overlay/confirm.tsx';
import { notify } from '../ui/overlay/notices.tsx';
import css from './triggers.module.css';
import { textOfSource } from './map/source-text.ts';

type Assignment = Trigger['assignments'][number];

/** The workflows that a delivery starts, and what each is given. */
export function Starts({ of }: { of: Trigger }) {
  const org = useOrg();
  if (of.assignments.length > 0)
    return of.assignments.map((assignment) => (
      <AssignmentView key={assignment.workflow_id} trigger={of} of={assignment} />
    ));
  return (
    <Empty title="It starts nothing yet.">
      <p>What comes in is kept, and can be replayed once a workflow is assigned.</p>
      {org.can('manage') ? (
        <MapLink trigger={of}>Map a workflow</MapLink>
      ) : (
        <p>An admin of {org.name} assigns workflows.</p>
      )}
    </Empty>
  );
}

function MapLink({ trigger, workflow, children }: { trigger: Trigger; workflow?: string; children: string }) {
  const { id: org } = useOrg();
  return (
    <Link to="/o/$org/triggers/$id" params={{ org, id: trigger.id }} search={{ tab: 'map', workflow }}>
      {children}
    </Link>
  );
}

function AssignmentView({
  trigger,
  of: { workflow_id: id, workflow, inputs, filter },
}: {
  trigger: Trigger;
  of: Assignment;
}) {
  const org = useOrg();
  const rows = Object.entries(inputs).map(
    ([input, from]) => [input, <code key={input}>{textOfSource(from)}</code>] as const,
  );
  return (
    <div className={css.assignment}>
      <h3>{workflow}</h3>
      <Facts of={[['Only when', filter ? <code key="filter">{filter}</code> : 'always'], ...rows]} />
      {org.can('manage') && (
        <div className={css.acts}>
          <MapLink trigger={trigger} workflow={id}>
            Change the mapping
          </MapLink>
          <Unassign trigger={trigger} id={id} workflow={workflow} />
        </div>
      )}
    </div>
  );
}

function Unassign({ trigger, id, workflow }: { trigger: Trigger; id: string; workflow: string }) {
  const org = useOrg();
  const [isAsking, setAsking] = useState(false);
  const unassign = async () => {
    await call('unassignWorkflow', { params: { org: org.id, id: trigger.id }, body: { workflow_id: id } });
    await refresh('getTrigger', 'listTriggers');
    notify(`${trigger.name} does not start ${workflow} any more.`);
  };
  return (
    <>
      <Button look="danger" onClick={() => setAsking(true)}>
        Stop starting it
      </Button>
      {isAsking && (
        <Confirm
          title={`Stop starting ${workflow}`}
          act="Stop starting it"
          onClose={() => setAsking(false)}
          onConfirm={unassign}
        >
          <p>
            The mapping and the filter are gone then. Runs that were started go on, and what comes in is still kept.
          </p>
          <Terminal command={relata('triggers', 'unassign', trigger.id, workflow)} />
        </Confirm>
      )}
    </>
  );
}
