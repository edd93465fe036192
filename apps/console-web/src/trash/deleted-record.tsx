import type { TrashedRecord } from '../api/types.ts';
import { Button } from '../ui/controls/button.tsx';
import { DescriptionList } from '../ui/data/description-list.tsx';
import { RecordFields } from '../ui/data/record-fields.tsx';
import { RelativeTime, DateTime } from '../ui/data/time.tsx';
import { Dialog } from '../ui/overlay/dialog.tsx';
import { deleterName } from './trash-list.tsx';
import { WinnerName } from './winner-name.tsx';

interface DeletedRecordProps {
  record: TrashedRecord;
  /** Undefined if the person may not restore records. */
  onRestore: ((record: TrashedRecord) => void) | undefined;
  /** Undefined if the person may not erase records. */
  onErase: ((record: TrashedRecord) => void) | undefined;
  onClose: () => void;
}

/** Dialog with a deleted record as it was before the delete. */
export function DeletedRecord({ record, onRestore, onErase, onClose }: DeletedRecordProps) {
  const { name, resource, deleted_at, purge_at, merged_into: winner } = record;
  const actions = (onRestore ?? onErase) && (
    <>
      {onErase && (
        <Button variant="danger" onClick={() => onErase(record)}>
          Erase
        </Button>
      )}
      {onRestore && (
        <Button variant="primary" onClick={() => onRestore(record)}>
          Restore
        </Button>
      )}
    </>
  );
  return (
    <Dialog isWide onClose={onClose} title={name} actions={actions}>
      <DescriptionList
        facts={[
          ['Type', resource],
          ['Deleted', <DateTime key="deleted" time={deleted_at} />],
          ['Deleted by', deleterName(record)],
          ...(winner ? ([['Merged into', <WinnerName key="winner" winner={winner} />]] as const) : []),
          ['Expires', <RelativeTime key="expires" time={purge_at} />],
        ]}
      />
      <RecordFields record={record.record} />
    </Dialog>
  );
}
