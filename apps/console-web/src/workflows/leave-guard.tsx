import { useBlocker } from '@tanstack/react-router';
import { Button } from '../ui/controls/button.tsx';
import { Dialog } from '../ui/overlay/dialog.tsx';

/** Asks before a link, Back or a reload takes away what was typed. */
export function LeaveGuard({ isOn }: { isOn: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => isOn,
    enableBeforeUnload: isOn,
    withResolver: true,
  });
  if (status !== 'blocked') return null;
  return (
    <Dialog
      isOpen
      isAlert
      onClose={reset}
      title="Leave without publishing?"
      actions={
        <>
          <Button onClick={reset}>Stay</Button>
          <Button look="danger" onClick={proceed}>
            Leave
          </Button>
        </>
      }
    >
      <p>What you have changed is kept nowhere else.</p>
    </Dialog>
  );
}
