import { useState } from 'react';
import { type ApiFailure, asFailure } from '../api/failure.ts';
import { refresh, useCall } from '../api/queries.ts';
import type { Erased, InputOf } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { CliCommand } from '../ui/controls/copy.tsx';
import { Checkbox } from '../ui/controls/field.tsx';
import { relata } from '../ui/controls/shell-command.ts';
import { countedText } from '../ui/data/count.ts';
import { Skeleton } from '../ui/data/empty.tsx';
import { Hint, ErrorAlert } from '../ui/data/error-alert.tsx';
import { Confirm } from '../ui/overlay/confirm.tsx';
import { notify } from '../ui/overlay/notices.tsx';
import { visibleText } from '../ui/text/visible-text.ts';
import { countsText } from './counts-text.ts';

type Body = InputOf<'eraseRecord'>['body'];

/** The record to erase, live or in the trash. */
interface ErasedRecord {
  id: string;
  name: string;
  resource: Body['resource'];
}

interface EraseDialogProps {
  record: ErasedRecord;
  onClose: () => void;
}

/** Shows what an erase removes, and asks the person to type the record's name to confirm. */
export function EraseDialog({ record, onClose }: EraseDialogProps) {
  const { id: org, call } = useOrg();
  const { id, name, resource } = record;
  const [more, setMore] = useState({ activities: false, cascade: false });
  const body = { resource, ...more };
  const preview = useCall('previewErase', { params: { id }, body });
  const erase = async () => {
    try {
      await call('eraseRecord', { params: { id }, body });
      notify(`${name} erased.`);
    } finally {
      // A large erase may fail after it has committed a part.
      void refresh('listTrash', 'listAudit', 'findRecords');
    }
  };
  const options = Object.entries(more).flatMap(([option, isOn]) => (isOn ? [`--${option}`] : []));
  return (
    <Confirm
      title={`Erase ${name}?`}
      word={wordFor(record)}
      act="Erase"
      isReady={preview.isSuccess}
      onConfirm={erase}
      onClose={onClose}
    >
      <p>
        This removes the record and the content of its history for good. It cannot be undone. Backups keep a copy, and
        so do deliveries and runs until they expire.
      </p>
      {resource === 'account' && (
        <Checkbox checked={more.cascade} onChange={({ target }) => setMore({ ...more, cascade: target.checked })}>
          Also erase its opportunities
        </Checkbox>
      )}
      {resource !== 'activity' && (
        <Checkbox checked={more.activities} onChange={({ target }) => setMore({ ...more, activities: target.checked })}>
          Also erase all activities linked to it, which otherwise keep their text
        </Checkbox>
      )}
      {preview.data ? (
        <Removed erased={preview.data.data} />
      ) : preview.error ? (
        <NotErasable failure={asFailure(preview.error)} onRetry={() => void preview.refetch()} />
      ) : (
        <Skeleton lines={2} />
      )}
      <CliCommand command={relata('records', 'erase', resource, id, '--org', org, ...options, '--yes')} />
    </Confirm>
  );
}

/** Says why a record cannot be erased with the chosen options. */
function NotErasable({ failure, onRetry }: { failure: ApiFailure; onRetry: () => void }) {
  if (failure.code !== 'in_use') return <ErrorAlert failure={failure} onRetry={onRetry} />;
  return (
    <Hint>The account has opportunities, which cannot exist without it. Erase them too, or keep the account.</Hint>
  );
}

function Removed({ erased }: { erased: Erased }) {
  const { events, activities, merged_records, unlinked, erased: others = {}, counts_relation } = erased;
  const also = [
    countsText({ ...others, activities: activities + (others['activities'] ?? 0) }),
    merged_records > 0 && countedText(merged_records, 'record merged into it', 'records merged into it'),
  ].filter(Boolean);
  const links = countsText(unlinked);
  return (
    <p role="status">
      Erases the record and the content of {countedText(events, 'event')}.
      {also.length > 0 && ` Also erases ${also.join(' and ')}.`}
      {links && ` Removes its links from ${links}.`}
      {counts_relation && ' The numbers may be higher: the record is too large for an exact count.'}
    </p>
  );
}

/** Maximum length of a name that people have to type, in characters. */
const typableMax = 60;

/** Returns the text to type: the name, or the beginning of the ID if the name is long or cannot be typed. */
function wordFor({ id, name }: ErasedRecord): string {
  const isTypable = name.length <= typableMax && name === name.trim() && !/\s{2}|[\t\n\r]/.test(name);
  return isTypable && visibleText(name) === name ? name : id.slice(0, 8);
}
