import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useCall } from '../api/queries.ts';
import type { OutputOf, Problem } from '../api/types.ts';
import { type ProblemState, problemStates } from '../search-params.ts';
import { OrgLink, useOrg } from '../shell/org.ts';
import { Page, Panel, Tabs } from '../shell/page.tsx';
import { countedText, countText } from '../ui/data/count.ts';
import { Empty } from '../ui/data/empty.tsx';
import { Loaded } from '../ui/data/loaded.tsx';
import { DateTime } from '../ui/data/time.tsx';
import { ProblemList } from './problem-list.tsx';
import css from './problems.module.css';
import { ProblemStateDialog } from './problem-state-dialog.tsx';
import { RetryProblem } from './retry-problem.tsx';

export function ProblemsPage() {
  const { can } = useOrg();
  const { state = 'open' } = useSearch({ from: '/signed-in/o/$org/problems' });
  const [chosen, setChosen] = useState<Problem>();
  const [put, setPut] = useState<{ problem: Problem; to: ProblemState }>();
  const problems = useCall('listProblems', { query: { state } });
  const acts = { onRetry: setChosen, onPut: (problem: Problem, to: ProblemState) => setPut({ problem, to }) };
  return (
    <Page
      title="Problems"
      intro="Failed runs, grouped by workflow, step and error code, and deliveries that lack an input of a workflow, most frequent first. Failures that are retried or replayed leave the list unless they fail again."
    >
      <StateTabs state={state} counts={problems.data?.counts} />
      <Panel>
        <Loaded query={problems}>
          {(output) => (
            <>
              {output.data.length === 0 ? (
                <NoProblems state={state} />
              ) : (
                <ProblemList problems={output.data} acts={can('work') ? acts : undefined} />
              )}
              <Bound output={output} />
            </>
          )}
        </Loaded>
      </Panel>
      {chosen && <RetryProblem problem={chosen} onClose={() => setChosen(undefined)} />}
      {put && <ProblemStateDialog problem={put.problem} to={put.to} onClose={() => setPut(undefined)} />}
    </Page>
  );
}

const names: Record<ProblemState, string> = { open: 'Open', resolved: 'Resolved', ignored: 'Ignored' };

type Output = OutputOf<'listProblems'>;

function StateTabs({ state, counts }: { state: ProblemState; counts: Output['counts'] | undefined }) {
  return (
    <Tabs label="Status" current={state}>
      {problemStates.map((each) => (
        <OrgLink
          key={each}
          to="/o/$org/problems"
          search={each === 'open' ? {} : { state: each }}
          activeProps={{}}
          activeOptions={{ exact: true }}
          aria-current={each === state ? 'page' : undefined}
        >
          {names[each]}
          {counts && ` ${countText(counts[each])}`}
        </OrgLink>
      ))}
    </Tabs>
  );
}

function NoProblems({ state }: { state: ProblemState }) {
  if (state === 'resolved')
    return (
      <Empty title="No resolved problems">Problems that you resolve are listed here until they occur again.</Empty>
    );
  if (state === 'ignored')
    return <Empty title="No ignored problems">Problems that you ignore are listed here until you reopen them.</Empty>;
  return (
    <Empty title="No open problems">
      <p>Failed runs and deliveries appear here, grouped by cause, so that you can retry them together.</p>
    </Empty>
  );
}

/** Says how many failures were examined, since the counts include only those. */
function Bound({ output: { data, looked_at, looked_back_to, has_more } }: { output: Output }) {
  if (looked_at === 0 || (data.length === 0 && looked_back_to === null)) return null;
  return (
    <p className={css.bound}>
      {looked_back_to ? (
        <>
          Includes the newest {countedText(looked_at, 'failure')}, back to <DateTime time={looked_back_to} />.
        </>
      ) : (
        <>Includes {looked_at === 1 ? 'the only stored failure' : `all ${countedText(looked_at, 'stored failure')}`}.</>
      )}
      {has_more && ' Shows the 100 most frequent problems.'}
    </p>
  );
}
