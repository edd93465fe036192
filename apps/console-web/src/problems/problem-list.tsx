import { authorName } from '../audit/author.ts';
import { OrgLink } from '../shell/org.ts';
import type { Problem } from '../api/types.ts';
import type { ProblemState } from '../search-params.ts';
import { Button } from '../ui/controls/button.tsx';
import { countText, nounText } from '../ui/data/count.ts';
import { DataList } from '../ui/data/data-list.tsx';
import { Ago } from '../ui/data/time.tsx';
import { ActsMenu } from '../ui/overlay/acts-menu.tsx';
import { isPermanent, problemName, placeText, runsText } from './problem-text.ts';
import css from './problems.module.css';
import { actName, stateActs } from './put-aside.tsx';

interface ProblemListProps {
  of: readonly Problem[];
  /** Left out where problems are only listed. */
  acts?: ProblemActs | undefined;
}

interface ProblemActs {
  onRetry: (problem: Problem) => void;
  onPut: (problem: Problem, to: ProblemState) => void;
}

export function ProblemList({ of, acts }: ProblemListProps) {
  return (
    <DataList
      label="Problems"
      rows={of}
      keyOf={({ workflow_id, step, code }) => JSON.stringify([workflow_id, step, code])}
      columns={[
        { head: 'Problem', cell: (problem) => <Cause of={problem} /> },
        { head: 'Latest error', cell: (problem) => <Newest of={problem} /> },
        { head: 'First seen', isNarrow: true, cell: ({ first_failed_at }) => <Ago of={first_failed_at} /> },
        { head: 'Last seen', isNarrow: true, cell: ({ last_failed_at }) => <Ago of={last_failed_at} /> },
        { head: 'Runs', isNumber: true, cell: ({ runs }) => countText(runs) },
        ...(acts ? [{ head: 'Actions', cell: (problem: Problem) => <Acts of={problem} {...acts} /> }] : []),
      ]}
    />
  );
}

function Cause({ of }: { of: Problem }) {
  const { workflow_id: workflow, step, code } = of;
  return (
    <>
      <OrgLink to="/o/$org/runs" search={{ status: 'failed', workflow, step, code }} className={css.cause!}>
        {of.workflow} {placeText(step)}
      </OrgLink>
      {of.put_aside && <PutAsideNote of={of} put={of.put_aside} />}
    </>
  );
}

function PutAsideNote({ of: { state }, put }: { of: Problem; put: NonNullable<Problem['put_aside']> }) {
  const since = put.runs_since > 0 && `${runsText(put.runs_since)} failed since. `;
  return (
    <p className={css.aside}>
      {state === 'open' && <strong>Reopened: it failed again. </strong>}
      {since}
      {put.state === 'resolved' ? 'Resolved' : 'Ignored'} <Ago of={put.at} /> by {authorName(put.by)}, in v{put.version}
      .
    </p>
  );
}

function Newest({ of: { message, code, examples } }: { of: Problem }) {
  return (
    <span className={css.message}>
      <bdi>{message}</bdi> {code !== '-' && <code>{code}</code>}
      <Examples of={examples} />
    </span>
  );
}

function Examples({ of }: { of: readonly string[] }) {
  return (
    <span className={css.examples}>
      {nounText(of.length, 'Example')}
      {of.map((id) => (
        <OrgLink key={id} to="/o/$org/runs/$id" params={{ id }} title={`Run ${id}`}>
          <code>…{id.slice(-6)}</code>
        </OrgLink>
      ))}
    </span>
  );
}

function Acts({ of, onRetry, onPut }: ProblemActs & { of: Problem }) {
  const verb = isPermanent(of.code) ? 'Replay' : 'Retry';
  const label = of.runs === 1 ? `${verb} 1` : `${verb} all ${of.runs}`;
  return (
    <div className={css.acts}>
      <Button aria-label={`${label} of ${problemName(of)}`} onClick={() => onRetry(of)}>
        {label}
      </Button>
      <ActsMenu
        of={problemName(of)}
        items={stateActs[of.state].map((to) => ({ name: actName(to), run: () => onPut(of, to) }))}
      />
    </div>
  );
}
