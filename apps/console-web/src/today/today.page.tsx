import { useCall } from '../api/queries.ts';
import { RunList } from '../runs/runs.page.tsx';
import { OrgLink, useOrg } from '../shell/org.ts';
import { Page, Panel } from '../shell/page.tsx';
import { NoRuns } from '../runs/no-runs.tsx';
import { Loaded } from '../ui/data/loaded.tsx';
import { Checklist } from './checklist.tsx';
import { EndingKeys } from './ending-keys.tsx';
import { OpenProblems } from './open-problems.tsx';
import { Strip } from './strip.tsx';
import { Terminal } from '../ui/controls/copy.tsx';
import { option, relata } from '../ui/controls/shell-command.ts';
import { Hint } from '../ui/data/trouble.tsx';
import { boundedText, nounText } from '../ui/data/count.ts';

const shown = 10;

export function TodayPage() {
  const org = useOrg();
  const today = useCall('getToday', { params: { org: org.id } });
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
  const runs = useCall('listRuns', { params: { org }, query: { limit: shown } });
  const all = <OrgLink to="/o/$org/runs">View all</OrgLink>;
  return (
    <Panel title="Latest runs" actions={runs.data?.has_more && all}>
      <Loaded query={runs} lines={2}>
        {({ data }) => (data.length > 0 ? <RunList runs={data} label="Latest runs" /> : <NoRuns />)}
      </Loaded>
    </Panel>
  );
}

function DemoData() {
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

const countedMax = 1_000;

function UnsentRequests({ count }: { count: number }) {
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
