import { ChosenFilter } from '../ui/data/filters.tsx';
import { useWorkflow } from './use-workflow.ts';

/** Shows the workflow by which a list is filtered, with a button that removes the filter. */
export function ChosenWorkflow({ id, onClear }: { id: string; onClear: () => void }) {
  const workflow = useWorkflow(id);
  return <ChosenFilter onClear={onClear}>{`Workflow ${workflow.data?.data.name ?? id.slice(0, 8)}`}</ChosenFilter>;
}
