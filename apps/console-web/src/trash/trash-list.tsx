import { authorName } from '../audit/author.ts';
import type { TrashedRecord } from '../api/types.ts';
import { OrgLink } from '../shell/org.ts';
import { Button } from '../ui/controls/button.tsx';
import { boundedText, nounText } from '../ui/data/count.ts';
import { DataList, rowId } from '../ui/data/data-list.tsx';
import { RelativeTime } from '../ui/data/time.tsx';
import css from './trash.module.css';
import { WinnerName } from './winner-name.tsx';

interface TrashListProps {
  records: readonly TrashedRecord[];
  /** True if all records were deleted together. */
  isOneDeletion: boolean;
  onSee: (record: TrashedRecord) => void;
  /** Undefined if the person may not restore records. */
  onRestore: ((record: TrashedRecord) => void) | undefined;
}

export function TrashList({ records, isOneDeletion, onSee, onRestore }: TrashListProps) {
  return (
    <DataList
      label="Deleted records"
      rows={records}
      keyOf={rowId}
      columns={[
        {
          head: 'Name',
          cell: (record) => (
            <>
              <Button variant="link" onClick={() => onSee(record)}>
                <bdi>{record.name}</bdi>
              </Button>
              <Notes record={record} isOneDeletion={isOneDeletion} />
            </>
          ),
        },
        { head: 'Type', isNarrow: true, cell: ({ resource }) => resource },
        { head: 'Deleted', isNarrow: true, cell: ({ deleted_at }) => <RelativeTime time={deleted_at} /> },
        { head: 'Deleted by', cell: (record) => deleterName(record) },
        { head: 'Expires', isNarrow: true, cell: ({ purge_at }) => <RelativeTime time={purge_at} /> },
        ...(onRestore ? [restoring(onRestore)] : []),
      ]}
    />
  );
}

const restoring = (onRestore: (record: TrashedRecord) => void) => ({
  head: 'Actions',
  isNarrow: true,
  cell: (record: TrashedRecord) => (
    <Button aria-label={`Restore ${record.name}`} onClick={() => onRestore(record)}>
      Restore
    </Button>
  ),
});

const othersMax = 100;

function Notes({ record, isOneDeletion }: { record: TrashedRecord; isOneDeletion: boolean }) {
  const { merged_into: winner, deleted_with: others, deletion_id: deletion } = record;
  return (
    <div className={css.notes}>
      {winner && (
        <span>
          Merged into <WinnerName winner={winner} />
        </span>
      )}
      {others > 0 && !isOneDeletion && (
        <OrgLink to="/o/$org/trash" search={{ deletion }}>
          {boundedText(others, othersMax)} {nounText(others, 'other')} deleted with it
        </OrgLink>
      )}
    </div>
  );
}

/** Returns who deleted a record; a dash if the event of the delete no longer exists. */
export function deleterName({ deleted_by: by }: TrashedRecord): string {
  return by ? authorName({ ...by, name: by.name ?? by.workflow }) : '–';
}
