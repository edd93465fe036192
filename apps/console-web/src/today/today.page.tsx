import { useCall } from '../api/queries.ts';
import { RunList } from '../runs/runs.page.tsx';
import { OrgLink, useOrg } from '../shell/org.ts';
import { Page, Panel } from '../shell/page.tsx';
import { NoRuns } from '../runs/no-runs.tsx';
import { Loaded } from '../ui/data/loaded.tsx';
import { Checklist } from './checklist.tsx';
import { DaySummary } from './day-summary.tsx';
import { CliCommand } from '../ui/controls/copy.tsx';
import { option, relata } from '../ui/controls/shell-command.ts';
import { Hint } from '../ui/data/error-alert.tsx';
import { boundedText, nounText } from '../ui/data/count.ts';
import { useState } from 'react';
import { RelativeTime } from '../ui/data/time.tsx';
import { ProblemList } from '../problems/problem-list.tsx';

const runsShown = 10;

export function TodayPage() {
  const org = useOrg();
  const today = useCall('getToday', {});
  return (
    <Page title="Today">
      <Loaded query={today} lines={3}>
        {({ data }) => (
          <>
            {org.can('manage') && <Checklist progress={data.steps} />}
            <DaySummary today={data} />
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
  const runs = useCall('listRuns', { query: { limit: runsShown } });
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
        This organization contains demo data: the first npm start sent the deliveries of a day, all at once. To remove
        it, run relata demo clear. Everything that you created is kept.
      </p>
      <CliCommand command={relata('demo', 'clear', ...option('org', org))} />
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
      <CliCommand command={relata('demo-requests', 'list', ...option('org', org.id), '--unsent')} />
    </Hint>
  );
}

const soonMs = 14 * 86_400_000;

/** Keys that expire within 14 days and have not been replaced. */
function EndingKeys() {
  const [now] = useState(Date.now);
  const keys = useCall('listKeys', {});
  const ending = (keys.data?.data ?? []).filter(({ expires_at, revoked_at, replaced_by }) => {
    const leftMs = Date.parse(expires_at ?? '') - now;
    return leftMs > 0 && leftMs < soonMs && !revoked_at && !replaced_by;
  });
  if (ending.length === 0) return null;
  return (
    <Hint>
      {ending.map(({ id, name, expires_at }) => (
        <p key={id}>
          ⚠ The API key <OrgLink to="/o/$org/settings/keys">{name}</OrgLink> expires <RelativeTime time={expires_at!} />
          . Rotate it before then.
        </p>
      ))}
    </Hint>
  );
}

const problemsShown = 5;

function OpenProblems() {
  const org = useOrg();
  const problems = useCall('listProblems', { query: {} });
  const all = <OrgLink to="/o/$org/problems">{org.can('work') ? 'Review and retry' : 'View all'}</OrgLink>;
  return (
    <Panel title="Open problems" actions={all}>
      <Loaded query={problems} lines={2}>
        {({ data }) => <ProblemList problems={data.slice(0, problemsShown)} />}
      </Loaded>
    </Panel>
  );
}
