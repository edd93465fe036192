import { Link } from '@tanstack/react-router';
import type { ListedWorkflow } from '../api/types.ts';

/** Links to the triggers; one that is off starts nothing. */
export function StartedBy({ triggers }: { triggers: ListedWorkflow['triggers'] }) {
  if (triggers.length === 0) return 'No triggers';
  return triggers.map(({ id, name, active }, at) => (
    <span key={id}>
      {at > 0 && ', '}
      <Link to="/o/$org/triggers/$id" from="/o/$org" params={{ id }}>
        {name}
      </Link>
      {!active && ' (disabled)'}
    </span>
  ));
}
