import { useInfiniteQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { OutputOf, WorkflowVersion } from '../api/types.ts';
import { OrgLink, useOrg } from '../shell/org.ts';
import { Panel } from '../shell/page.tsx';
import { CliCommand } from '../ui/controls/copy.tsx';
import { relata } from '../ui/controls/shell-command.ts';
import { DataList } from '../ui/data/data-list.tsx';
import { Empty } from '../ui/data/empty.tsx';
import { LoadedPages } from '../ui/data/pages.tsx';
import { Applied } from './applied.tsx';

export function VersionsPage() {
  const { id } = useParams({ from: '/signed-in/o/$org/workflows/$id' });
  const { id: org, call } = useOrg();
  const versions = useInfiniteQuery({
    queryKey: ['listWorkflowVersions', org, id],
    queryFn: ({ pageParam, signal }) =>
      call('listWorkflowVersions', { params: { id }, query: { before: pageParam } }, signal),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ data, has_more }) => (has_more ? data.at(-1)?.version : undefined),
    // Lists require rows with ids.
    select: ({ pages, ...rest }) => ({ ...rest, pages: pages.map(withIds) }),
  });
  return (
    <>
      <Panel>
        <LoadedPages query={versions} noun={['version', 'versions']} empty={<Empty title="No versions" />}>
          {(rows) => <VersionList id={id} versions={rows} />}
        </LoadedPages>
      </Panel>
      <CliCommand command={relata('workflows', 'show', id)} />
    </>
  );
}

function withIds({ data, has_more }: OutputOf<'listWorkflowVersions'>) {
  return { has_more, data: data.map((version) => ({ ...version, id: String(version.version) })) };
}

function VersionList({ id, versions }: { id: string; versions: readonly WorkflowVersion[] }) {
  const { can } = useOrg();
  const newest = versions[0]?.version;
  return (
    <DataList
      label="Versions"
      rows={versions}
      keyOf={({ version }) => String(version)}
      columns={[
        {
          head: 'Version',
          isNarrow: true,
          cell: ({ version }) => (
            <OrgLink to="/o/$org/workflows/$id" params={{ id }} search={{ version }}>
              {`Version ${version}`}
            </OrgLink>
          ),
        },
        { head: 'Published', cell: ({ applied_by: by, created_at: at }) => <Applied by={by} at={at} /> },
        { head: 'Note', cell: ({ note }) => note },
        { head: 'Changes', isNarrow: true, cell: ({ version }) => <Changes id={id} version={version} /> },
        {
          head: 'Actions',
          isNarrow: true,
          cell: ({ version }) => version !== newest && can('manage') && <Restore id={id} version={version} />,
        },
      ]}
    />
  );
}

interface OfVersion {
  id: string;
  version: number;
}

function Changes({ id, version }: OfVersion) {
  if (version === 1) return null;
  return (
    <OrgLink
      to="/o/$org/workflows/$id/compare"
      params={{ id }}
      search={{ a: version - 1, b: version }}
      aria-label={`Compare version ${version} with version ${version - 1}`}
    >
      Compare
    </OrgLink>
  );
}

/** Opens the editor with the text of an old version, to publish it as a new one: the history never changes. */
function Restore({ id, version }: OfVersion) {
  return (
    <OrgLink
      to="/o/$org/workflows/$id/edit"
      params={{ id }}
      search={{ version }}
      aria-label={`Restore version ${version}`}
    >
      Restore
    </OrgLink>
  );
}
