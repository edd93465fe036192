import { useCall } from '../api/queries.ts';
import { ChosenFilter } from '../ui/data/filters.tsx';

/** Shows the workflow by which a list is filtered, with a button that removes the filter. */
export function ChosenWorkflow({ id, onClear }: { id: string; onClear: () => void }) {
  const workflow = useCall('getWorkflow', { params: { id } });
  return <ChosenFilter onClear={onClear}>{`Workflow ${workflow.data?.data.name ?? id.slice(0, 8)}`}</ChosenFilter>;
}
