import { call } from '../api/client.ts';
import { refresh, useCall } from '../api/queries.ts';
import type { Session } from '../api/types.ts';
import { countedText } from '../ui/data/count.ts';
import { DataList, rowId } from '../ui/data/data-list.tsx';
import { Loaded } from '../ui/data/loaded.tsx';
import { State } from '../ui/data/state.tsx';
import { RelativeTime } from '../ui/data/time.tsx';
import { ActionButton } from '../ui/controls/action-button.tsx';
import { notify } from '../ui/overlay/notices.tsx';
import css from './people.module.css';

export function Sessions() {
  const sessions = useCall('listSessions', {});
  const endOthers = async () => {
    const { data } = await call('endOtherSessions', {});
    await refresh('listSessions');
    notify(`${countedText(data.ended, 'session')} ended.`);
  };
  return (
    <Loaded query={sessions} lines={2}>
      {({ data }) => (
        <>
          <DataList
            label="Sessions"
            rows={data}
            keyOf={rowId}
            columns={[
              { head: 'Browser', cell: ({ user_agent }) => <span title={user_agent}>{browserOf(user_agent)}</span> },
              { head: 'IP address', cell: ({ ip }) => ip },
              { head: 'Signed in', cell: ({ created_at }) => <RelativeTime time={created_at} /> },
              { head: 'Last active', cell: ({ seen_at }) => <RelativeTime time={seen_at} /> },
              { head: 'Actions', isNarrow: true, cell: (session) => <EndSession session={session} /> },
            ]}
          />
          {data.length > 1 && (
            <div className={css.part}>
              <div>
                <ActionButton run={endOthers}>End all other sessions</ActionButton>
              </div>
            </div>
          )}
        </>
      )}
    </Loaded>
  );
}

function EndSession({ session }: { session: Session }) {
  if (session.is_current) return <State tone="ok">This session</State>;
  const end = async () => {
    await call('endSession', { params: { id: session.id } });
    await refresh('listSessions');
  };
  return (
    <ActionButton variant="link" run={end} label={`End session: ${browserOf(session.user_agent)}`}>
      End session
    </ActionButton>
  );
}

const browsers = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const;

const systems = [
  ['Android', 'Android'],
  ['iPhone', 'iOS'],
  ['iPad', 'iPadOS'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const;

/** Returns the browser and the operating system of a user agent: a hint for people, which may be wrong. */
function browserOf(userAgent: string): string {
  const of = (list: readonly (readonly [mark: string, name: string])[]) =>
    list.find(([mark]) => userAgent.includes(mark))?.[1];
  const [browser, system] = [of(browsers), of(systems)];
  if (!browser) return userAgent.slice(0, 40) || 'Unknown';
  return system ? `${browser} on ${system}` : browser;
}
