import { useInfiniteQuery } from '@tanstack/react-query';
import { refresh, useCall } from '../api/queries.ts';
import type { RefusedPost } from '../api/types.ts';
import type { DeliveriesSearch } from '../search-params.ts';
import { OrgLink, useOrg } from '../shell/org.ts';
import { Panel } from '../shell/page.tsx';
import { TriggerLink } from '../triggers/trigger-link.tsx';
import { CliCommand } from '../ui/controls/copy.tsx';
import { relata } from '../ui/controls/shell-command.ts';
import { ActionButton } from '../ui/controls/action-button.tsx';
import { countedText } from '../ui/data/count.ts';
import { DataList, rowId } from '../ui/data/data-list.tsx';
import { Empty } from '../ui/data/empty.tsx';
import { bytesText } from '../ui/data/description-list.tsx';
import { LoadedPages, pageParams } from '../ui/data/pages.tsx';
import { DateTime, momentText } from '../ui/data/time.tsx';
import { Hint } from '../ui/data/error-alert.tsx';
import { notify } from '../ui/overlay/notices.tsx';
import css from './deliveries.module.css';
import { RefusalCounts, reasonText } from './refusal-reasons.tsx';

export function RefusedPosts({ query: { trigger, from, to } }: { query: Omit<DeliveriesSearch, 'id' | 'show'> }) {
  const { id: org, call } = useOrg();
  const given = { trigger, from, to };
  const posts = useInfiniteQuery({
    queryKey: ['listRefusals', org, given],
    queryFn: ({ pageParam, signal }) => call('listRefusals', { query: { ...given, before: pageParam } }, signal),
    ...pageParams,
  });
  const command = ['deliveries', 'list', '--refused', ...(trigger ? ['--trigger', trigger] : ['--org', org])];
  return (
    <>
      <Hint>
        <p>
          Relata keeps refused requests for 7 days. For each trigger it keeps the newest 100 of each of three kinds:
          requests without a valid secret or signature, authentic requests that got 400, and authentic requests with any
          other status. Bodies are kept only for authentic requests. A request that was refused for its content can be
          replayed once the mapping is repaired.
        </p>
        {trigger && <Counts trigger={trigger} />}
      </Hint>
      <Panel>
        <LoadedPages query={posts} noun={['request', 'requests']} empty={<NoPosts />}>
          {(rows) => <PostList posts={rows} />}
        </LoadedPages>
      </Panel>
      <CliCommand command={relata(...command)} />
    </>
  );
}

/** The counts of all refused requests of a trigger, including requests that were not stored. */
function Counts({ trigger }: { trigger: string }) {
  const counts = useCall('countRefusals', { params: { id: trigger } });
  if (!counts.data?.data.length) return null;
  return (
    <>
      <p>Refused by this trigger in the last 7 days:</p>
      <RefusalCounts counts={counts.data.data} />
    </>
  );
}

function NoPosts() {
  return (
    <Empty title="No refused requests">
      <p>Requests with a wrong secret, a body that is not JSON or a missing input appear here within seconds.</p>
    </Empty>
  );
}

function PostList({ posts }: { posts: readonly RefusedPost[] }) {
  return (
    <DataList
      label="Refused requests"
      rows={posts}
      keyOf={rowId}
      columns={[
        { head: 'Received', isNarrow: true, cell: ({ refused_at }) => <DateTime time={refused_at} /> },
        { head: 'Trigger', cell: ({ trigger_id, trigger }) => <TriggerLink id={trigger_id}>{trigger}</TriggerLink> },
        { head: 'Response', cell: (post) => <ResponseText post={post} /> },
        { head: 'Size', isNumber: true, cell: ({ bytes }) => (bytes === null ? '' : bytesText(bytes)) },
        { head: 'IP address', isNarrow: true, cell: ({ address }) => address ?? '' },
        { head: 'Body', cell: ({ body }) => body !== null && <Sent text={body} /> },
        { head: 'Actions', cell: (post) => <PostActions post={post} /> },
      ]}
    />
  );
}

function ResponseText({ post: { status, reason, message, field } }: { post: RefusedPost }) {
  return (
    <>
      {reasonText(reason)}: {status} {message}
      {field && (
        <>
          {' '}
          (<code>{field}</code>)
        </>
      )}
    </>
  );
}

/** A button that stores the request as a delivery, or a link to that delivery. */
function PostActions({ post }: { post: RefusedPost }) {
  const { id, refused_at: time, can_replay: canReplay, delivery_id: delivery } = post;
  const { can, call } = useOrg();
  if (delivery !== null)
    return (
      <OrgLink to="/o/$org/deliveries" search={{ id: delivery }} className={css.replayed!}>
        Replayed
      </OrgLink>
    );
  if (!canReplay || !can('work')) return null;
  const replay = async () => {
    const { data } = await call('replayDelivery', { params: { id } });
    await refresh('listRefusals', 'listDeliveries', 'listRuns');
    notify(`Stored as a delivery. ${countedText(data.runs.length, 'run')} started.`);
  };
  return (
    <ActionButton run={replay} label={`Replay the request of ${momentText(time)}`}>
      Replay
    </ActionButton>
  );
}

function Sent({ text }: { text: string }) {
  return (
    <details className={css.sent}>
      <summary>Show body</summary>
      <pre>{text}</pre>
    </details>
  );
}
