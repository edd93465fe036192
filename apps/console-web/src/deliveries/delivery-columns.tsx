import type { ListedDelivery } from '../api/types.ts';
import { RunState } from '../runs/run-state.tsx';
import { duration } from '../ui/data/time.tsx';
import css from './deliveries.module.css';

type Runs = ListedDelivery['runs'];

/** The two fields by which one tells a delivery from others. */
export function TellingFields({ of: fields }: { of: ListedDelivery['fields'] }) {
  if (fields.length === 0) return <span className={css.muted}>No fields</span>;
  return (
    <span className={css.telling}>
      {fields.map(({ path, value }) => (
        <span key={path} title={`${path}: ${value}`}>
          <small>{path.slice(path.lastIndexOf('.') + 1)}</small> <bdi>{value}</bdi>
        </span>
      ))}
    </span>
  );
}

/** The time from receiving a delivery until its runs ended; replays do not count. */
export function Duration({ of: { received_at: receivedAt, runs } }: { of: ListedDelivery }) {
  const own = runs.filter(({ replay }) => replay === 0);
  if (own.length === 0) return null;
  const open = own.find(({ finished_at: at }) => at === null);
  if (open) return <span className={css.muted}>{open.status}</span>;
  const ends = own.map(({ finished_at: at }) => Date.parse(at!));
  return duration(Math.max(0, Math.max(...ends) - Date.parse(receivedAt)));
}

/** What a row shows of a delivery, without the ends that are cut off where there is little room. */
export function wholeText({ trigger, fields, runs }: ListedDelivery): string {
  const values = fields.map(({ path, value }) => `${path}: ${value}`);
  return [trigger, ...values, ...runs.map(({ workflow, status }) => `${workflow} ${status}`)].join('\n');
}

/** The run that needs somebody most, and the number of others. */
export function BriefRuns({ of: runs }: { of: Runs }) {
  const [run, ...others] = runs.toSorted((one, other) => rankOf(one.status) - rankOf(other.status));
  if (!run) return <StartedRuns of={runs} />;
  return (
    <div className={css.brief}>
      <span>{run.workflow}</span>
      <span>
        <RunState status={run.status} /> {others.length > 0 && `+${others.length}`}
      </span>
    </div>
  );
}

export function StartedRuns({ of: runs }: { of: Runs }) {
  if (runs.length === 0) return <span className={css.muted}>None</span>;
  return (
    <ul className={css.runs}>
      {runs.map(({ id, workflow, status }) => (
        <li key={id}>
          {workflow} <RunState status={status} />
        </li>
      ))}
    </ul>
  );
}

/** Order of states: failed first, then unfinished. */
const ranks: readonly string[] = ['failed', 'running', 'waiting', 'queued'] satisfies Runs[number]['status'][];

function rankOf(status: string): number {
  const rank = ranks.indexOf(status);
  return rank === -1 ? ranks.length : rank;
}
