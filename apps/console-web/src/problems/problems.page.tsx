import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useCall } from '../api/queries.ts';
import type { AnswerOf, Problem } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { Page, Panel } from '../shell/page.tsx';
import { Button } from '../ui/controls/button.tsx';
import { nounText } from '../ui/data/count.ts';
import { DataList } from '../ui/data/data-list.tsx';
import { Empty } from '../ui/data/empty.tsx';
import { Loaded } from '../ui/data/loaded.tsx';
import { Ago, At } from '../ui/data/time.tsx';
import { placeText, runsText } from './problem-text.ts';
import css from './problems.module.css';
import { RetryProblem } from './retry-problem.tsx';

const lookEveryMs = 10_000;

export function ProblemsPage() {
  const { id: org } = useOrg();
  const [chosen, setChosen] = useState<Problem>();
  const problems = useCall('listProblems', { params: { org } }, { everyMs: lookEveryMs });
  return (
    <Page
      title="Problems"
      intro="Failed runs, grouped by workflow, step and error code; the most frequent first. A run that is retried leaves the list until it fails again."
    >
      <Panel>
        <Loaded query={problems}>
          {(answer) => (
            <>
              {answer.data.length === 0 ? <NoProblems /> : <ProblemList of={answer.data} onRetry={setChosen} />}
              <Bound of={answer} />
            </>
          )}
        </Loaded>
      </Panel>
      {chosen && <RetryProblem of={chosen} onClose={() => setChosen(undefined)} />}
    </Page>
  );
}

function NoProblems() {
  return (
    <Empty title="No run has failed.">
      <p>A run that gives up shows here with all others of the same cause, and can be retried with them.</p>
    </Empty>
  );
}

/** Of how many runs the list speaks, so that a count is not taken for more than it is. */
function Bound({ of }: { of: AnswerOf<'listProblems'> }) {
  if (of.looked_at === 0) return null;
  return (
    <p className={css.bound}>
      {of.looked_back_to ? (
        <>
          Of the newest {runsText(of.looked_at)} that failed, back to <At of={of.looked_back_to} />. Older ones are not
          counted.
        </>
      ) : (
        <>Of all {runsText(of.looked_at)} that failed and are kept.</>
      )}
      {of.has_more && ' The hundred most frequent problems are listed.'}
    </p>
  );
}

function ProblemList({ of, onRetry }: { of: readonly Problem[]; onRetry: (problem: Problem) => void }) {
  const org = useOrg();
  return (
    <DataList
      label="Problems"
      rows={of}
      keyOf={({ workflow_id, step, code }) => JSON.stringify([workflow_id, step, code])}
      columns={[
        { head: 'Cause', cell: (problem) => <Cause of={problem} /> },
        { head: 'Newest error', cell: (problem) => <Newest of={problem} /> },
        { head: 'First', isNarrow: true, cell: ({ first_failed_at }) => <Ago of={first_failed_at} /> },
        { head: 'Last', isNarrow: true, cell: ({ last_failed_at }) => <Ago of={last_failed_at} /> },
        { head: 'Runs', isNumber: true, cell: ({ runs }) => runs },
        ...(org.can('work')
          ? [{ head: 'Act', cell: (problem: Problem) => <RetryButton of={problem} onRetry={onRetry} /> }]
          : []),
      ]}
    />
  );
}

export function Cause({ of: { workflow_id: workflow, step, code, ...of } }: { of: Problem }) {
  const { id: org } = useOrg();
  return (
    <Link to="/o/$org/runs" params={{ org }} search={{ status: 'failed', workflow, step, code }} className={css.cause!}>
      {of.workflow} {placeText(step)}
    </Link>
  );
}

function Newest({ of: { message, code, examples } }: { of: Problem }) {
  return (
    <span className={css.message}>
      <bdi>{message}</bdi> <code>{code}</code>
      <Examples of={examples} />
    </span>
  );
}

function Examples({ of }: { of: readonly string[] }) {
  const { id: org } = useOrg();
  return (
    <span className={css.examples}>
      {nounText(of.length, 'Example')}
      {of.map((id) => (
        <Link key={id} to="/o/$org/runs/$id" params={{ org, id }} title={`Run ${id}`}>
          <code>…{id.slice(-6)}</code>
        </Link>
      ))}
    </span>
  );
}

function RetryButton({ of, onRetry }: { of: Problem; onRetry: (problem: Problem) => void }) {
  const label = of.runs === 1 ? 'Retry 1' : `Retry all ${of.runs}`;
  return (
    <Button aria-label={`${label} of ${of.workflow} ${placeText(of.step)}, ${of.code}`} onClick={() => onRetry(of)}>
      {label}
    </Button>
  );
}
