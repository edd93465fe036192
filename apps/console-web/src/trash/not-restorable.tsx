import type { ApiFailure } from '../api/failure.ts';
import { useCall } from '../api/queries.ts';
import type { TrashedRecord } from '../api/types.ts';
import { Button } from '../ui/controls/button.tsx';
import { Hint, ErrorAlert } from '../ui/data/error-alert.tsx';

interface NotRestorableProps {
  failure: ApiFailure;
  onFirst: (first: TrashedRecord) => void;
  onRetry: () => void;
}

/** Says why a record cannot be restored. If another record must be restored first, offers to restore that one. */
export function NotRestorable({ failure, onFirst, onRetry }: NotRestorableProps) {
  const { trashedId, status } = failure;
  const needed = useCall('listTrash', { query: { record_id: trashedId } }, { isEnabled: trashedId !== undefined });
  const first = trashedId === undefined ? undefined : needed.data?.data[0];
  if (status === 404) return <p>This record is no longer in the trash. It was restored or erased, or it expired.</p>;
  if (!first) return <ErrorAlert failure={failure} onRetry={onRetry} />;
  return (
    <Hint>
      <p>
        It belongs to the {first.resource} <bdi>{first.name}</bdi>, which is in the trash, too. Restore it first.
        Records that were deleted with it come back, too.
      </p>
      <Button onClick={() => onFirst(first)}>{`Restore ${first.name}…`}</Button>
    </Hint>
  );
}
