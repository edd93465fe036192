import { useOrg } from '../shell/org.ts';
import { Terminal } from '../ui/controls/copy.tsx';
import { option, relata } from '../ui/controls/shell-command.ts';
import { Hint } from '../ui/data/trouble.tsx';

/** Says that not all of what is shown is real, and how to remove the rest. */
export function DemoData() {
  const { id: org } = useOrg();
  return (
    <Hint>
      <p>
        This organization contains demo data: the first npm start sent a day of deliveries. To remove it, run relata
        demo clear. Everything that you created is kept.
      </p>
      <Terminal command={relata('demo', 'clear', ...option('org', org))} />
    </Hint>
  );
}
