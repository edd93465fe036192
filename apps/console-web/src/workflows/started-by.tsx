import type { ListedWorkflow } from '../api/types.ts';
import { OrgLink } from '../shell/org.ts';

export function StartedBy({ triggers }: { triggers: ListedWorkflow['triggers'] }) {
  if (triggers.length === 0) return 'No triggers';
  return triggers.map(({ id, name, active }, at) => (
    <span key={id}>
      {at > 0 && ', '}
      <OrgLink to="/o/$org/triggers/$id" params={{ id }}>
        {name}
      </OrgLink>
      {!active && ' (disabled)'}
    </span>
  ));
}
