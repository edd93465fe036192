import { useEffect, useRef } from 'react';
import { OrgLink } from '../shell/org.ts';
import { refresh } from '../api/queries.ts';
import type { PublishedWorkflow } from '../api/types.ts';
import { Panel } from '../shell/page.tsx';
import { TriggerLink } from '../triggers/trigger-link.tsx';
import { ShellCommand } from '../ui/controls/copy.tsx';
import { relata } from '../ui/controls/shell-command.ts';
import { ActionButton } from '../ui/controls/action-button.tsx';
import { FaultList } from './fault-list.tsx';
import css from './workflows.module.css';

interface PublishedProps {
  what: PublishedWorkflow;
  onAgain: (() => void) | undefined;
}

export function Published({ what: { id, version, action, misfits, warnings }, onAgain }: PublishedProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <Panel>
      <div className={css.editor}>
        <h2 ref={heading} tabIndex={-1}>
          {action === 'unchanged' ? `No changes since version ${version}` : `Version ${version} published`}
        </h2>
        <p>{action === 'unchanged' ? 'No new version was created.' : 'New runs use it.'}</p>
        {action === 'created' && (
          <p>
            To run the workflow, assign it to one of your <OrgLink to="/o/$org/triggers">triggers</OrgLink>.
          </p>
        )}
        {misfits.map(({ trigger_id: trigger, trigger: name, problems }) => (
          <div key={trigger} className={css.incompatible}>
            <p>
              The mapping of{' '}
              <TriggerLink id={trigger} search={{ workflow: id }}>
                {name}
              </TriggerLink>{' '}
              no longer fits: {problems.join(' ')}
            </p>
            <ShellCommand label="Assign the workflow again:">
              {relata('triggers', 'assign', trigger, id, '--input', 'INPUT=payload.FIELD')}
            </ShellCommand>
          </div>
        ))}
        <FaultList faults={warnings} />
        <p>
          <OrgLink to="/o/$org/workflows/$id" params={{ id }}>
            View workflow
          </OrgLink>
        </p>
        {onAgain && <ActionButton run={() => refresh('getWorkflow').then(onAgain)}>Edit again</ActionButton>}
      </div>
    </Panel>
  );
}
