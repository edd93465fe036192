import { useCall } from '../api/queries.ts';
import { Replay } from '../deliveries/replay.tsx';
import { useOrg } from '../shell/org.ts';
import { Loaded } from '../ui/data/loaded.tsx';
import { Dialog } from '../ui/overlay/dialog.tsx';

/** Starts anew what the delivery of a run starts now, and says before what that is. */
export function ReplayDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { id: org } = useOrg();
  const delivery = useCall('getDelivery', { params: { org, id } });
  return (
    <Dialog isOpen onClose={onClose} title="Replay delivery">
      <p>This run does not change.</p>
      <Loaded query={delivery} lines={3}>
        {({ data }) => <Replay of={data} />}
      </Loaded>
    </Dialog>
  );
}
