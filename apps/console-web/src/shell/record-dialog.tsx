import { Link } from '@tanstack/react-router';
import type { FoundRecord } from '../api/types.ts';
import { Id } from '../ui/controls/copy.tsx';
import { Facts } from '../ui/data/facts.tsx';
import { At } from '../ui/data/time.tsx';
import { Dialog } from '../ui/overlay/dialog.tsx';
import type { Membership } from './org.ts';

interface RecordDialogProps {
  record: FoundRecord;
  current: Membership;
  onClose: () => void;
}

export default function RecordDialog({ record, current, onClose }: RecordDialogProps) {
  const fields = Object.entries(record.record).filter(([, value]) => value !== null && value !== '');
  return (
    <Dialog isWide onClose={onClose} title={record.name}>
      <p>{kinds[record.record_type]}</p>
      <Facts
        facts={fields.map(([field, value]) => [nameOf(field), <Value key={field} field={field} value={value} />])}
      />
      {current.permissions.includes('manage') && (
        <p>
          <Link
            to="/o/$org/settings/audit"
            params={{ org: current.organization.id }}
            search={{ record: record.id }}
            onClick={onClose}
          >
            View history
          </Link>
        </p>
      )}
    </Dialog>
  );
}

const kinds = { account: 'Account', contact: 'Contact', opportunity: 'Opportunity' };

/** Returns the name of a field in words: `account_name` becomes “Account name”. */
const nameOf = (field: string) => `${field[0]!.toUpperCase()}${field.slice(1).replaceAll('_', ' ')}`;

function Value({ field, value }: { field: string; value: unknown }) {
  if (/(^|_)id$/.test(field) && typeof value === 'string') return <Id id={value} chars={36} />;
  if (field.endsWith('_at') && typeof value === 'string') return <At time={value} />;
  return <bdi>{typeof value === 'string' ? value : JSON.stringify(value)}</bdi>;
}
