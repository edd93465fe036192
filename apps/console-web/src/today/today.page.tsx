import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useCall } from '../api/queries.ts';
import { RunList } from '../runs/runs.page.tsx';
import { useOrg } from '../shell/org.ts';
import { Page, Panel } from '../shell/page.tsx';
import { Empty } from '../ui/data/empty.tsx';
import { Loaded } from '../ui/data/loaded.tsx';
import { Checklist } from './checklist.tsx';
import { EndingKeys } from './ending-keys.tsx';

const lookEveryMs = 10_000;
const shown = 10;

/** What needs somebody, and what has just happened. */
export function TodayPage() {
  const org = useOrg();
  return (
    <Page title="Today">
      <Checklist />
      {org.can('manage') && <EndingKeys />}
      <Runs title="Failed runs" status="failed" empty="No run has failed." />
      <Runs title="Waiting runs" status="waiting" empty="No run waits." />
      <Runs title="Latest runs" empty="No runs yet." />
    </Page>
  );
}

interface RunsProps {
  title: string;
  status?: 'failed' | 'waiting';
  empty: ReactNode;
}

function Runs({ title, status, empty }: RunsProps) {
  const { id: org } = useOrg();
  const input = { params: { org }, query: { limit: shown, ...(status && { status }) } };
  const runs = useCall('listRuns', input, { everyMs: lookEveryMs });
  const all = (
    <Link to="/o/$org/runs" params={{ org }} search={{ status }}>
      Show all
    </Link>
  );
  return (
    <Panel title={title} actions={runs.data?.has_more && all}>
      <Loaded query={runs} lines={2}>
        {({ data }) => (data.length > 0 ? <RunList runs={data} label={title} /> : <Empty>{empty}</Empty>)}
      </Loaded>
    </Panel>
  );
}
