import { useMemo } from 'react';
import type { ListedDelivery } from '../api/types.ts';
import { OrgLink } from '../shell/org.ts';
import { RunState } from '../runs/run-state.tsx';
import data from '../ui/data/data.module.css';
import { DataList, rowId } from '../ui/data/data-list.tsx';
import { bytesText } from '../ui/data/description-list.tsx';
import type { OnSee } from '../ui/data/live-rows.tsx';
import { State } from '../ui/data/state.tsx';
import { DateTime, duration } from '../ui/data/time.tsx';
import css from './deliveries.module.css';

interface DeliveryListProps {
  deliveries: readonly ListedDelivery[];
  label?: string;
  shown?: string | undefined;
  /** Set for the list on a trigger's page: deliveries then open in the list of that trigger. */
  trigger?: string;
  /** Called with the visible rows, if the list loads more as it is scrolled. */
  onSee?: OnSee | undefined;
}

export function DeliveryList({ deliveries, label = 'Deliveries', shown, trigger, onSee }: DeliveryListProps) {
  // Memoizes the columns, because new ones would render all visible rows again after each page that is read.
  const stop = deliveries.some(({ id }) => id === shown) ? shown : deliveries[0]?.id;
  const columns = useMemo(() => columnsOf(shown !== undefined, stop, trigger), [shown, stop, trigger]);
  return (
    <DataList
      label={label}
      rows={deliveries}
      keyOf={rowId}
      isCurrent={({ id }) => id === shown}
      onSee={onSee}
      columns={columns}
    />
  );
}

/** Returns the columns. While a delivery is open beside the list (`isSplit`), Tab reaches only the row `stop`. */
function columnsOf(isSplit: boolean, stop: string | undefined, trigger: string | undefined) {
  // Beside an open delivery, the list omits columns that the delivery itself shows: size, duration and all runs.
  return [
    {
      head: 'Received',
      width: isSplit ? '7.25rem' : '11.5rem',
      cell: (delivery: ListedDelivery) => (
        <RowLink delivery={delivery} trigger={trigger} isStop={!isSplit || delivery.id === stop} />
      ),
    },
    ...(isSplit ? [briefColumn] : [...(trigger ? [] : [triggerColumn]), contentColumn, sizeColumn, durationColumn]),
    {
      head: 'Runs',
      width: isSplit ? '7.75rem' : '21%',
      cell: (delivery: ListedDelivery) => (isSplit ? <BriefRuns {...delivery} /> : <StartedRuns {...delivery} />),
    },
  ];
}

interface RowLinkProps extends Pick<DeliveryListProps, 'trigger'> {
  delivery: ListedDelivery;
  isStop: boolean;
}

/**
 * Opens a delivery beside the list. While a delivery is open, Tab reaches only its row, or the first row if the list
 * does not contain it. The next Tab then leads to the delivery. `j` and `k` still reach all rows.
 */
function RowLink({ delivery, trigger, isStop }: RowLinkProps) {
  const { id, received_at } = delivery;
  return (
    <OrgLink
      className={data.rowLink}
      title={wholeText(delivery)}
      to="/o/$org/deliveries"
      search={trigger ? { trigger, id } : (before) => ({ ...before, id })}
      resetScroll={false}
      tabIndex={isStop ? undefined : -1}
    >
      <DateTime time={received_at} />
    </OrgLink>
  );
}

const triggerColumn = { head: 'Trigger', width: '13%', cell: ({ trigger }: ListedDelivery) => trigger };

const contentColumn = {
  head: 'Content',
  width: 'auto',
  cell: ({ fields }: ListedDelivery) => <PreviewFields fields={fields} />,
};

const briefColumn = {
  head: 'Trigger',
  width: 'auto',
  cell: ({ trigger, fields }: ListedDelivery) => (
    <div className={css.brief}>
      <span>{trigger}</span>
      <PreviewFields fields={fields} />
    </div>
  ),
};

const sizeColumn = {
  head: 'Size',
  isNumber: true,
  width: '5rem',
  cell: ({ bytes }: ListedDelivery) => bytesText(bytes),
};

const durationColumn = {
  head: 'Duration',
  isNumber: true,
  width: '6rem',
  cell: (delivery: ListedDelivery) => <Duration delivery={delivery} />,
};

type Runs = Pick<ListedDelivery, 'runs' | 'refused'>;

/** The two fields that best distinguish a delivery from others. */
function PreviewFields({ fields }: { fields: ListedDelivery['fields'] }) {
  if (fields.length === 0) return <span className={css.muted}>No fields</span>;
  return (
    <span className={css.preview}>
      {fields.map(({ path, value }) => (
        <span key={path} title={`${path}: ${value}`}>
          <small>{path.slice(path.lastIndexOf('.') + 1)}</small> <bdi>{value}</bdi>
        </span>
      ))}
    </span>
  );
}

/**
 * Time from the receipt of a delivery to the end of its runs, excluding replays; the status while a run has not ended.
 */
export function Duration({ delivery: { received_at: receivedAt, runs } }: { delivery: ListedDelivery }) {
  const own = runs.filter(({ replay }) => replay === 0);
  if (own.length === 0) return null;
  const open = own.find(({ finished_at: at }) => at === null);
  if (open) return <span className={css.muted}>{open.status}</span>;
  const ends = own.map(({ finished_at: at }) => Date.parse(at!));
  return duration(Math.max(0, Math.max(...ends) - Date.parse(receivedAt)));
}

/** Returns the complete text of a row, because a narrow row truncates long values. */
function wholeText({ trigger, fields, runs, refused }: ListedDelivery): string {
  const values = fields.map(({ path, value }) => `${path}: ${value}`);
  const started = runs.map(({ workflow, status }) => `${workflow} ${status}`);
  return [trigger, ...values, ...started, ...refused.map((workflow) => `${workflow} not started`)].join('\n');
}

/** The run that most needs attention, and the number of other runs. Runs that a replay has repeated are left out. */
function BriefRuns({ runs, refused }: Runs) {
  const isRepeated = ({ workflow, replay }: Runs['runs'][number]) =>
    runs.some((other) => other.workflow === workflow && other.replay > replay);
  const newest = runs.filter((run) => !isRepeated(run));
  const [run, ...others] = newest.toSorted((one, other) => rankOf(one.status) - rankOf(other.status));
  if (!run || refused.length > 0) return <StartedRuns runs={runs} refused={refused} />;
  return (
    <div className={css.brief}>
      <span>{run.workflow}</span>
      <span>
        <RunState status={run.status} /> {others.length > 0 && `+${others.length}`}
      </span>
    </div>
  );
}

function StartedRuns({ runs, refused }: Runs) {
  if (runs.length + refused.length === 0) return <span className={css.muted}>None</span>;
  return (
    <ul className={css.runs}>
      {runs.map(({ id, workflow, status }) => (
        <li key={id}>
          {workflow} <RunState status={status} />
        </li>
      ))}
      {refused.map((workflow) => (
        <li key={workflow}>
          {workflow} <State tone="bad">not started</State>
        </li>
      ))}
    </ul>
  );
}

const ranks: readonly string[] = [
  'failed',
  'running',
  'waiting',
  'queued',
] satisfies ListedDelivery['runs'][number]['status'][];

function rankOf(status: string): number {
  const rank = ranks.indexOf(status);
  return rank === -1 ? ranks.length : rank;
}
