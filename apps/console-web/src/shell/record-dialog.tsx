import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { FoundRecord } from '../api/types.ts';
import { EraseDialog } from '../trash/erase-dialog.tsx';
import { Button } from '../ui/controls/button.tsx';
import { RecordFields } from '../ui/data/record-fields.tsx';
import { Dialog } from '../ui/overlay/dialog.tsx';
import type { Membership } from './org.ts';

interface RecordDialogProps {
  record: FoundRecord;
  current: Membership;
  onClose: () => void;
}

export default function RecordDialog({ record, current, onClose }: RecordDialogProps) {
  const [isErasing, setErasing] = useState(false);
  const { id, name, record_type: resource } = record;
  const isAdmin = current.permissions.includes('manage');
  if (isErasing) return <EraseDialog record={{ id, name, resource }} onClose={onClose} />;
  const erase = isAdmin && (
    <Button variant="danger" onClick={() => setErasing(true)}>
      Erase
    </Button>
  );
  return (
    <Dialog isWide onClose={onClose} title={name} actions={erase}>
      <p>{kinds[resource]}</p>
      <RecordFields record={record.record} />
      {isAdmin && (
        <p>
          <Link
            to="/o/$org/settings/audit"
            params={{ org: current.organization.id }}
            search={{ record: id }}
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
