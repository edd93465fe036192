import { useState } from 'react';
import { useCall } from '../api/queries.ts';
import { useOrg } from '../shell/org.ts';
import { Button } from '../ui/controls/button.tsx';
import { RelativeTime } from '../ui/data/time.tsx';
import { Hint } from '../ui/data/error-alert.tsx';
import { RestoreDialog } from './restore-dialog.tsx';
import { WinnerName } from './winner-name.tsx';

/** Says above a record's history that the record is in the trash, and offers to restore it. */
export function InTrash({ recordId }: { recordId: string }) {
  const { can } = useOrg();
  const [isRestoring, setRestoring] = useState(false);
  const [record] = useCall('listTrash', { query: { record_id: recordId } }).data?.data ?? [];
  if (!record) return null;
  const { name, merged_into: winner, deleted_at, purge_at } = record;
  return (
    <>
      <Hint>
        <p>
          <bdi>{name}</bdi> is in the trash:{' '}
          {winner ? (
            <>
              merged into <WinnerName winner={winner} />
            </>
          ) : (
            'deleted'
          )}{' '}
          <RelativeTime time={deleted_at} />, expires <RelativeTime time={purge_at} />.
        </p>
        {can('work') && <Button onClick={() => setRestoring(true)}>Restore</Button>}
      </Hint>
      {isRestoring && <RestoreDialog record={record} onClose={() => setRestoring(false)} />}
    </>
  );
}
