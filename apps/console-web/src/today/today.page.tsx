import { Link } from '@tanstack/react-router';
import { useCall } from '../api/queries.ts';
import { RunList } from '../runs/runs.page.tsx';
import { useOrg } from '../shell/org.ts';
import { Page, Panel } from '../shell/page.tsx';
import { Empty } from '../ui/data/empty.tsx';
import { Loaded } from '../ui/data/loaded.tsx';
import { Checklist } from './checklist.tsx';
import { DemoData } from './demo-data.tsx';
import { EndingKeys } from './ending-keys.tsx';
import { OpenProblems } from './open-problems.tsx';
import { Strip } from './strip.tsx';
import { UnsentRequests } from './unsent-requests.tsx';

const lookEveryMs = 10_000;
const shown = 10;

/** Shows what needs attention, and what has just happened. */
export function TodayPage() {
  const org = useOrg();
  const today = useCall('getToday', { params: { org: org.id } }, { everyMs: lookEveryMs });
  return (
    <Page title="Today">
      <Loaded query={today} lines={3}>
        {({ data }) => (
          <>
            {org.can('manage') && <Checklist of={data.steps} />}
            <Strip of={data} />
            {org.can('manage') && <EndingKeys />}
            <UnsentRequests count={data.unsent_demo_requests} />
            {data.problems > 0 && <OpenProblems />}
            {data.has_demo_data && <DemoData />}
          </>
        )}
      </Loaded>
      <LatestRuns />
    </Page>
  );
}

function LatestRuns() {
  const { id: org } = useOrg();
  const runs = useCall('listRuns', { params: { org }, query: { limit: shown } }, { everyMs: lookEveryMs });
  const all = (
    <Link to="/o/$org/runs" params={{ org }}>
      {' '}
      View all{' '}
    </Link>
  );
  return (
    <Panel title="Latest runs" actions={runs.data?.has_more && all}>
      <Loaded query={runs} lines={2}>
        {({ data }) => (data.length > 0 ? <RunList runs={data} label="Latest runs" /> : <NoRuns />)}
      </Loaded>
    </Panel>
  );
}

function NoRuns() {
  return (
    <Empty title="No runs yet">
      <p>Each delivery to a trigger starts a run of every workflow assigned to it. The latest runs appear here.</p>
    </Empty>
  );
}
