import { useState } from 'react';
import { type ApiFailure, asFailure } from '../api/failure.ts';
import { refresh, useCall } from '../api/queries.ts';
import type { Restored, TrashedRecord } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { Button } from '../ui/controls/button.tsx';
import { Id, CliCommand } from '../ui/controls/copy.tsx';
import { relata } from '../ui/controls/shell-command.ts';
import { Skeleton } from '../ui/data/empty.tsx';
import { ErrorAlert, Hint } from '../ui/data/error-alert.tsx';
import { ConfirmForm } from '../ui/overlay/confirm.tsx';
import { Dialog } from '../ui/overlay/dialog.tsx';
import { notify } from '../ui/overlay/notices.tsx';
import { countsText } from './counts-text.ts';
import css from './trash.module.css';
import { WinnerName } from './winner-name.tsx';

interface RestoreDialogProps {
  record: TrashedRecord;
  onClose: () => void;
}

/** Shows what a restore would bring back. If another record must be restored first, offers to restore that one. */
export function RestoreDialog({ record, onClose }: RestoreDialogProps) {
  const [first, setFirst] = useState<TrashedRecord>();
  return <RestoreOne key={first?.id} record={first ?? record} onFirst={setFirst} onClose={onClose} />;
}

function RestoreOne({ record, onFirst, onClose }: RestoreDialogProps & { onFirst: (first: TrashedRecord) => void }) {
  const { id: org, call } = useOrg();
  const { id, name } = record;
  const preview = useCall('previewRestore', { params: { id } });
  const restore = async () => {
    try {
      const { data } = await call('restoreFromTrash', { params: { id } });
      notify([`${name} restored`, ...alsoOf(data)].join('. ').concat('.'));
    } catch (error) {
      // Somebody else may have restored the record.
      void refresh('listTrash', 'listAudit', 'previewRestore');
      throw error;
    }
    void refresh('listTrash', 'listAudit');
    onClose();
  };
  return (
    <Dialog onClose={onClose} title={`Restore ${name}?`} isAlert>
      {preview.error ? (
        <>
          <NotRestorable failure={asFailure(preview.error)} onFirst={onFirst} onRetry={() => void preview.refetch()} />
          <div className={css.actions}>
            <Button onClick={onClose}>Close</Button>
          </div>
        </>
      ) : (
        <ConfirmForm variant="primary" act="Restore" onConfirm={restore} onClose={onClose}>
          <MergeNote record={record} />
          {preview.data ? <ComesBack record={record} restored={preview.data.data} /> : <Skeleton lines={2} />}
          <CliCommand command={relata('records', 'restore', id, '--org', org)} />
        </ConfirmForm>
      )}
    </Dialog>
  );
}

interface NotRestorableProps {
  failure: ApiFailure;
  onFirst: (first: TrashedRecord) => void;
  onRetry: () => void;
}

/** Says why a record cannot be restored. If another record must be restored first, offers to restore that one. */
function NotRestorable({ failure, onFirst, onRetry }: NotRestorableProps) {
  const { trashedId, status } = failure;
  const needed = useCall('listTrash', { query: { record_id: trashedId } }, { isEnabled: trashedId !== undefined });
  const first = trashedId === undefined ? undefined : needed.data?.data[0];
  if (status === 404) return <p>This record is no longer in the trash. It was restored or erased, or it expired.</p>;
  if (!first) return <ErrorAlert failure={failure} onRetry={onRetry} />;
  return (
    <Hint>
      <p>
        This record belongs to the {first.resource} <bdi>{first.name}</bdi>, which is in the trash, too. Restore it
        first. Records that were deleted with it come back, too.
      </p>
      <Button onClick={() => onFirst(first)}>{`Restore ${first.name}…`}</Button>
    </Hint>
  );
}

function MergeNote({ record: { merged_into: winner } }: { record: TrashedRecord }) {
  if (!winner) return null;
  return (
    <p>
      This undoes the merge into <WinnerName winner={winner} />: links that the merge moved return to this record. In
      the other record, fields that the merge filled are cleared if nobody has changed them since.
    </p>
  );
}

function ComesBack({ record: { id, merged_into: winner }, restored }: { record: TrashedRecord; restored: Restored }) {
  const isMerged = winner !== null;
  const also = alsoOf(restored);
  const { dropped } = restored;
  return (
    <>
      <p role="status">
        The record comes back with its ID and its fields.{' '}
        {also.length > 0 ? `${also.join('. ')}.` : isMerged ? '' : 'No other record changes.'}
      </p>
      {dropped.length > 0 && (
        <Hint>
          <p>These links cannot be restored. The other record no longer exists, or the list is full:</p>
          <ul>
            {dropped.map((lost) => (
              <li key={`${lost.id} ${lost.field} ${lost.value}`}>
                <code>{lost.field}</code> <Id id={lost.value} />
                {lost.id !== id && (
                  <>
                    {' '}
                    of <Id id={lost.id} />
                  </>
                )}
              </li>
            ))}
          </ul>
        </Hint>
      )}
    </>
  );
}

/** Returns sentences about other records that a restore changes, without full stops. */
function alsoOf({ restored, relinked }: Restored): string[] {
  const [others, links] = [countsText(restored), countsText(relinked)];
  return [...(others ? [`Restored with it: ${others}`] : []), ...(links ? [`Linked to it again: ${links}`] : [])];
}
