import { useCall } from '../api/queries.ts';
import { OrgLink } from '../shell/org.ts';
import { Button } from '../ui/controls/button.tsx';
import { Hint } from '../ui/data/error-alert.tsx';
import { freeName, nameIn, withName } from './workflow-name.ts';

export function NameTaken({ text, onRename }: { text: string; onRename: (text: string) => void }) {
  const workflows = useCall('listWorkflows', {}).data?.data ?? [];
  const name = nameIn(text);
  const taken = workflows.find((workflow) => workflow.name === name);
  if (!taken) return null;
  const free = freeName(
    taken.name,
    workflows.map((workflow) => workflow.name),
  );
  return (
    <Hint>
      <p>A workflow named {taken.name} already exists. Open it to publish a new version, or use a different name.</p>
      <OrgLink to="/o/$org/workflows/$id" params={{ id: taken.id }}>
        Open {taken.name}
      </OrgLink>{' '}
      <Button onClick={() => onRename(withName(text, free))}>{`Use ${free}`}</Button>
    </Hint>
  );
}
