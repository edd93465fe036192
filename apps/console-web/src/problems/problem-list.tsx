import { authorName } from '../audit/author.ts';
import { OrgLink, useOrg } from '../shell/org.ts';
import type { Problem } from '../api/types.ts';
import type { ProblemState } from '../search-params.ts';
import { TriggerLink } from '../triggers/trigger-link.tsx';
import { Button } from '../ui/controls/button.tsx';
import { countText, nounText } from '../ui/data/count.ts';
import { DataList } from '../ui/data/data-list.tsx';
import { RelativeTime } from '../ui/data/time.tsx';
import { ActionsMenu } from '../ui/overlay/actions-menu.tsx';
import { causeText, isPermanent, problemName, runsText } from './problem-text.ts';
import css from './problems.module.css';
import { actName, stateActs } from './problem-state-dialog.tsx';

interface ProblemListProps {
  problems: readonly Problem[];
  /** Undefined if the list has no actions. */
  acts?: ProblemActs | undefined;
}

interface ProblemActs {
  onRetry: (problem: Problem) => void;
  onPut: (problem: Problem, to: ProblemState) => void;
}

export function ProblemList({ problems, acts }: ProblemListProps) {
  return (
    <DataList
      label="Problems"
      rows={problems}
      keyOf={({ workflow_id, step, code }) => JSON.stringify([workflow_id, step, code])}
      columns={[
        { head: 'Problem', cell: (problem) => <Cause problem={problem} /> },
        { head: 'Latest error', cell: (problem) => <Newest problem={problem} /> },
        { head: 'First seen', isNarrow: true, cell: ({ first_failed_at }) => <RelativeTime time={first_failed_at} /> },
        { head: 'Last seen', isNarrow: true, cell: ({ last_failed_at }) => <RelativeTime time={last_failed_at} /> },
        { head: 'Failures', isNumber: true, cell: ({ runs }) => countText(runs) },
        ...(acts
          ? [{ head: 'Actions', isNarrow: true, cell: (problem: Problem) => <Acts problem={problem} {...acts} /> }]
          : []),
      ]}
    />
  );
}

function Cause({ problem }: { problem: Problem }) {
  const { can } = useOrg();
  const { workflow_id: workflow, step, code, refused } = problem;
  return (
    <>
      {refused ? (
        <TriggerLink id={refused.trigger_id} className={css.cause!}>
          {causeText(problem)}
        </TriggerLink>
      ) : (
        <OrgLink to="/o/$org/runs" search={{ status: 'failed', workflow, step, code }} className={css.cause!}>
          {causeText(problem)}
        </OrgLink>
      )}
      {refused && can('manage') && (
        <div>
          <TriggerLink id={refused.trigger_id} search={{ tab: 'map', workflow, delivery: problem.examples[0] }}>
            Fix mapping
          </TriggerLink>
        </div>
      )}
      {problem.put_aside && <PutAsideNote problem={problem} put={problem.put_aside} />}
    </>
  );
}

function PutAsideNote({ problem: { state }, put }: { problem: Problem; put: NonNullable<Problem['put_aside']> }) {
  const since = put.runs_since > 0 && `${runsText(put.runs_since)} failed since. `;
  return (
    <p className={css.aside}>
      {state === 'open' && <strong>Reopened: it failed again. </strong>}
      {since}
      {put.state === 'resolved' ? 'Resolved' : 'Ignored'} <RelativeTime time={put.at} /> by {authorName(put.by)}, in v
      {put.version}.
    </p>
  );
}

function Newest({ problem: { message, code, examples, refused } }: { problem: Problem }) {
  return (
    <span className={css.message}>
      <bdi>{message}</bdi> {code !== '-' && !refused && <code>{code}</code>}
      <Examples examples={examples} areDeliveries={refused !== null} />
    </span>
  );
}

function Examples({ examples, areDeliveries }: { examples: readonly string[]; areDeliveries: boolean }) {
  return (
    <span className={css.examples}>
      {nounText(examples.length, 'Example')}
      {examples.map((id) =>
        areDeliveries ? (
          <OrgLink key={id} to="/o/$org/deliveries" search={{ id }} title={`Delivery ${id}`}>
            <code>…{id.slice(-6)}</code>
          </OrgLink>
        ) : (
          <OrgLink key={id} to="/o/$org/runs/$id" params={{ id }} title={`Run ${id}`}>
            <code>…{id.slice(-6)}</code>
          </OrgLink>
        ),
      )}
    </span>
  );
}

function Acts({ problem, onRetry, onPut }: ProblemActs & { problem: Problem }) {
  const verb = problem.refused || isPermanent(problem.code) ? 'Replay' : 'Retry';
  const label = problem.runs === 1 ? `${verb} 1` : `${verb} all ${problem.runs}`;
  return (
    <div className={css.acts}>
      <Button aria-label={`${label} of ${problemName(problem)}`} onClick={() => onRetry(problem)}>
        {label}
      </Button>
      <ActionsMenu
        name={problemName(problem)}
        items={stateActs[problem.state].map((to) => ({ name: actName(to), run: () => onPut(problem, to) }))}
      />
    </div>
  );
}
