import { useCall } from '../api/queries.ts';
import { ProblemList } from '../problems/problem-list.tsx';
import { OrgLink, useOrg } from '../shell/org.ts';
import { Panel } from '../shell/page.tsx';
import { Loaded } from '../ui/data/loaded.tsx';

const shown = 5;

export function OpenProblems() {
  const org = useOrg();
  const problems = useCall('listProblems', { params: { org: org.id }, query: {} });
  const all = <OrgLink to="/o/$org/problems">{org.can('work') ? 'Review and retry' : 'View all'}</OrgLink>;
  return (
    <Panel title="Open problems" actions={all}>
      <Loaded query={problems} lines={2}>
        {({ data }) => <ProblemList of={data.slice(0, shown)} />}
      </Loaded>
    </Panel>
  );
}
