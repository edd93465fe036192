import type { ListedWorkflow } from '../api/types.ts';
import { TriggerLink } from '../triggers/trigger-link.tsx';

export function StartedBy({ triggers }: { triggers: ListedWorkflow['triggers'] }) {
  if (triggers.length === 0) return 'No triggers';
  return triggers.map(({ id, name, active }, at) => (
    <span key={id}>
      {at > 0 && ', '}
      <TriggerLink id={id}>{name}</TriggerLink>
      {!active && ' (disabled)'}
    </span>
  ));
}
