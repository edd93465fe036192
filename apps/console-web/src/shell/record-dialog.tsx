import { Link } from '@tanstack/react-router';
import type { FoundRecord } from '../api/types.ts';
import { RecordFields } from '../ui/data/record-fields.tsx';
import { Dialog } from '../ui/overlay/dialog.tsx';
import type { Membership } from './org.ts';

interface RecordDialogProps {
  record: FoundRecord;
  current: Membership;
  onClose: () => void;
}

export default function RecordDialog({ record, current, onClose }: RecordDialogProps) {
  return (
    <Dialog isWide onClose={onClose} title={record.name}>
      <p>{kinds[record.record_type]}</p>
      <RecordFields record={record.record} />
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
