import { useOrg } from '../shell/org.ts';
import { Terminal } from '../ui/controls/copy.tsx';
import { option, relata } from '../ui/controls/shell-command.ts';
import { boundedText, nounText } from '../ui/data/count.ts';
import { Hint } from '../ui/data/trouble.tsx';

const countedMax = 1_000;

/** Lists demo requests that the team may not have seen. */
export function UnsentRequests({ count }: { count: number }) {
  const org = useOrg();
  if (count === 0) return null;
  return (
    <Hint>
      <p>
        ⚠ {boundedText(count, countedMax)} {nounText(count, 'demo request')} may not have reached your team’s channel.
      </p>
      <Terminal command={relata('demo-requests', 'list', ...option('org', org.id), '--unsent')} />
    </Hint>
  );
}
