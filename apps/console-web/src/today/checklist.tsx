import { Link } from '@tanstack/react-router';
import { useCall } from '../api/queries.ts';
import { useOrg } from '../shell/org.ts';
import { Panel } from '../shell/page.tsx';
import { State } from '../ui/data/state.tsx';
import css from './today.module.css';

/** The first steps, read from what is there; gone once all are done. */
export function Checklist() {
  const org = useOrg();
  const params = { org: org.id };
  const isEnabled = org.can('manage');
  const keys = useCall('listKeys', { params }, { isEnabled });
  const members = useCall('listMembers', { params }, { isEnabled });
  const triggers = useCall('listTriggers', { params }, { isEnabled });
  const deliveries = useCall('listDeliveries', { params, query: { limit: 1 } }, { isEnabled });
  if (!keys.data || !members.data || !triggers.data || !deliveries.data) return null;
  const starts = triggers.data.data.some(({ workflows }) => workflows.length > 0);
  const steps = [
    ['Create a key for a program', '/o/$org/settings/keys', keys.data.data.length > 0],
    ['Create a trigger for what comes in', '/o/$org/triggers', triggers.data.data.length > 0],
    ['Receive a first delivery', '/o/$org/deliveries', deliveries.data.data.length > 0],
    ['Let a trigger start a workflow', '/o/$org/triggers', starts],
    ['Invite a colleague', '/o/$org/settings/members', members.data.data.length > 1],
  ] as const;
  if (steps.every(([, , isDone]) => isDone)) return null;
  return (
    <Panel title="First steps">
      <ul className={css.steps}>
        {steps.map(([name, to, isDone]) => (
          <li key={name}>
            <State tone={isDone ? 'ok' : 'idle'}>{isDone ? 'done' : 'to do'}</State>
            <Link to={to} params={params}>
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
