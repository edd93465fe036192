import { Link } from '@tanstack/react-router';
import type { ListedWorkflow } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';

/** Links to the triggers; one that is off starts nothing. */
export function StartedBy({ triggers }: { triggers: ListedWorkflow['triggers'] }) {
  const { id: org } = useOrg();
  if (triggers.length === 0) return 'No triggers';
  return triggers.map(({ id, name, active }, at) => (
    <span key={id}>
      {at > 0 && ', '}
      <Link to="/o/$org/triggers/$id" params={{ org, id }}>
        {name}
      </Link>
      {!active && ' (disabled)'}
    </span>
  ));
}
