import type { UseQueryResult } from '@tanstack/react-query';
import type { OutputOf, ListedDelivery, Trigger } from '../../api/types.ts';
import { Button } from '../../ui/controls/button.tsx';
import { ShellCommand } from '../../ui/controls/copy.tsx';
import { SelectField } from '../../ui/controls/field.tsx';
import { relata } from '../../ui/controls/shell-command.ts';
import { Empty } from '../../ui/data/empty.tsx';
import { bytesText } from '../../ui/data/description-list.tsx';
import { Loaded } from '../../ui/data/loaded.tsx';
import { State } from '../../ui/data/state.tsx';
import { RelativeTime, clockText, useAreTimesUtc } from '../../ui/data/time.tsx';
import { type Draft, filterField } from './draft.ts';
import css from './map.module.css';
import { useTriggerUrl } from '../trigger-state.tsx';
import { headers, payload as payloadPlace } from './place.ts';
import { type OnPick, SampleTree } from './sample-tree.tsx';
import { sampleCurl } from '../made-secret.tsx';

interface SampleProps {
  trigger: Trigger;
  deliveries: readonly ListedDelivery[];
  shown: string | undefined;
  onShow: (id: string | undefined) => void;
  query: UseQueryResult<OutputOf<'getDelivery'>>;
  payload: unknown;
  draft: Draft;
  target: string | undefined;
  onPick: OnPick | undefined;
  /** Called when the person works with the shown delivery, so that a newer one does not replace it. */
  onLook: () => void;
}

export function Sample(props: SampleProps) {
  const { trigger, deliveries, shown, query } = props;
  const isEmpty = deliveries.length === 0 && shown === undefined;
  return (
    <>
      <div className={css.part}>
        <Listening to={trigger} />
        {!isEmpty && (
          <>
            <Choice {...props} />
            <Loaded query={query} lines={8}>
              {() => <Trees {...props} />}
            </Loaded>
          </>
        )}
      </div>
      {isEmpty && (
        <Empty title="No deliveries yet">
          <p>Send a request to the URL. It appears here within a second and runs for real.</p>
          <SendOne to={trigger} />
        </Empty>
      )}
    </>
  );
}

/** Shows how to send a test request, with a placeholder for the secret, which is no longer known. */
function SendOne({ to }: { to: Trigger }) {
  const url = useTriggerUrl(to.url);
  if (to.sender?.is_signed)
    return <ShellCommand label="Send a signed test request:">{relata('triggers', 'test', to.id)}</ShellCommand>;
  const [shown, meaning] = to.mode === 'shared' ? ['KEY', 'API key'] : ['SECRET', 'secret'];
  return (
    <ShellCommand label={`Send a test request. Replace ${shown} with the ${meaning}:`}>
      {to.sender ? relata('triggers', 'test', to.id, '--secret', shown) : sampleCurl(url, shown)}
    </ShellCommand>
  );
}

function Listening({ to: { active: isOn, repeat_key: repeatKey } }: { to: Trigger }) {
  return (
    <p className={css.note}>
      <State tone={isOn ? 'ok' : 'warn'}>{isOn ? 'Listening.' : 'Disabled.'}</State>{' '}
      {isOn ? 'Requests to this URL appear here and run for real.' : 'Requests get 404 and are not stored.'}
      {isOn && repeatKey !== null && ' A repeated request starts nothing. To run it again, replay its delivery.'}
    </p>
  );
}

function Choice({ deliveries, shown, onShow, query }: SampleProps) {
  // Renders again when the time zone changes, because the options contain times as plain text.
  useAreTimesUtc();
  const newer = deliveries.findIndex(({ id }) => id === shown);
  const isListed = newer >= 0;
  return (
    <div className={css.samples}>
      <SelectField
        name="delivery"
        label="Delivery"
        value={isListed ? shown : ''}
        options={[...(isListed ? [] : [['', 'Older delivery', true] as const]), ...deliveries.map(optionOf)]}
        onChange={(event) => onShow(event.target.value)}
      />
      {query.data && (
        <span className={css.note}>
          <RelativeTime time={query.data.data.received_at} />
        </span>
      )}
      {newer !== 0 && deliveries.length > 0 && (
        <Button onClick={() => onShow(undefined)}>{newer > 0 ? `Show newest (${newer} newer)` : 'Show newest'}</Button>
      )}
    </div>
  );
}

function optionOf({ id, received_at, bytes }: ListedDelivery) {
  return [id, `${clockText(received_at)} · ${bytesText(bytes)}`] as const;
}

function Trees({ query, payload, draft, target, onPick, onLook }: SampleProps) {
  const inputs = Object.entries(draft).filter(([field]) => field !== filterField);
  const uses = new Map(inputs.map(([input, from]) => [from.trimStart(), input]));
  if (payload === undefined) return <p className={css.note}>The body is not JSON, so its fields cannot be mapped.</p>;
  return (
    <>
      {onPick && (
        <p className={css.note} role="status">
          Click a value or press Enter to map it to {target}. Move with the arrow keys.
        </p>
      )}
      <div className={css.trees} onFocus={onLook} onPointerDown={onLook} tabIndex={onPick ? undefined : 0}>
        <SampleTree label="Body" value={payload} at={payloadPlace} uses={uses} onPick={onPick} />
        <SampleTree label="Headers" value={query.data?.data.headers ?? {}} at={headers} uses={uses} onPick={onPick} />
      </div>
    </>
  );
}
