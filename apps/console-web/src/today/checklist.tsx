import { useState } from 'react';
import type { Today } from '../api/types.ts';
import { OrgLink, useOrg } from '../shell/org.ts';
import { Panel } from '../shell/page.tsx';
import { Button } from '../ui/controls/button.tsx';
import { State } from '../ui/data/state.tsx';
import css from './today.module.css';

const steps = [
  ['key', 'Create an API key', 'Programs use it to read and write records.', '/o/$org/settings/keys'],
  ['workflow', 'Publish a workflow', 'It defines what happens with each delivery.', '/o/$org/workflows'],
  [
    'trigger',
    'Create a trigger',
    'A URL that receives requests from your website or another system.',
    '/o/$org/triggers',
  ],
  ['delivery', 'Send a test request', 'The trigger’s page shows a command for it.', '/o/$org/triggers'],
  ['mapping', 'Map fields to a workflow', 'From then on, each delivery starts a run.', '/o/$org/triggers'],
  ['colleague', 'Invite a colleague', 'You get an invitation link to pass on.', '/o/$org/settings/members'],
] as const;

const dismissedName = (org: string) => `relata.first-steps.${org}`;

/** The first steps with their progress. Hidden once all are done, or when dismissed. */
export function Checklist({ progress }: { progress: Today['steps'] }) {
  const { id: org } = useOrg();
  const [isDismissed, setDismissed] = useState(() => localStorage.getItem(dismissedName(org)) !== null);
  const done = steps.filter(([step]) => progress[step]).length;
  if (isDismissed || done === steps.length) return null;
  const dismiss = () => {
    localStorage.setItem(dismissedName(org), 'dismissed');
    setDismissed(true);
  };
  const next = steps.find(([step]) => !progress[step])![0];
  const actions = (
    <span>
      <span className={css.done}>{`${done} of ${steps.length} done`}</span>{' '}
      <Button variant="quiet" onClick={dismiss}>
        Dismiss
      </Button>
    </span>
  );
  return (
    <Panel title="First steps" actions={actions}>
      <ol className={css.steps}>
        {steps.map(([step, name, what, to]) => (
          <li key={step} data-next={step === next || undefined}>
            <State tone={progress[step] ? 'ok' : 'idle'}>{progress[step] ? 'Done' : 'To do'}</State>
            <OrgLink to={to}>{name}</OrgLink>
            <span>{what}</span>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
