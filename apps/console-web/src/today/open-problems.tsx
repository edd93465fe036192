import { Link } from '@tanstack/react-router';
import { useCall } from '../api/queries.ts';
import { Cause } from '../problems/problem-list.tsx';
import { useOrg } from '../shell/org.ts';
import { Panel } from '../shell/page.tsx';
import { countText } from '../ui/data/count.ts';
import { DataList } from '../ui/data/data-list.tsx';
import { Loaded } from '../ui/data/loaded.tsx';
import { Ago } from '../ui/data/time.tsx';

const lookEveryMs = 10_000;
const shown = 5;

/** The most frequent problems; they are retried on their own page. */
export function OpenProblems() {
  const org = useOrg();
  const problems = useCall('listProblems', { params: { org: org.id }, query: {} }, { everyMs: lookEveryMs });
  const all = (
    <Link to="/o/$org/problems" params={{ org: org.id }}>
      {org.can('work') ? 'Review and retry' : 'View all'}
    </Link>
  );
  return (
    <Panel title="Open problems" actions={all}>
      <Loaded query={problems} lines={2}>
        {({ data }) => (
          <DataList
            label="Problems"
            rows={data.slice(0, shown)}
            keyOf={({ workflow_id, step, code }) => JSON.stringify([workflow_id, step, code])}
            columns={[
              { head: 'Problem', cell: (problem) => <Cause of={problem} /> },
              { head: 'Latest error', cell: ({ message }) => message },
              { head: 'Last seen', isNarrow: true, cell: ({ last_failed_at }) => <Ago of={last_failed_at} /> },
              { head: 'Runs', isNumber: true, cell: ({ runs }) => countText(runs) },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  );
}
