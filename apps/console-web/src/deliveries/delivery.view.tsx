import { X } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { asFailure } from '../api/failure.ts';
import { useCall } from '../api/queries.ts';
import type { Delivery } from '../api/types.ts';
import { OrgLink, useOrg } from '../shell/org.ts';
import { Panel } from '../shell/page.tsx';
import { TriggerLink } from '../triggers/trigger-link.tsx';
import { useShortcut } from '../ui/shortcuts.ts';
import { IconButton } from '../ui/controls/button.tsx';
import { Id } from '../ui/controls/copy.tsx';
import { Empty } from '../ui/data/empty.tsx';
import { bytesText, DescriptionList } from '../ui/data/description-list.tsx';
import { Loaded } from '../ui/data/loaded.tsx';
import { DateTime } from '../ui/data/time.tsx';
import { isOver, RunState } from '../runs/run-state.tsx';
import type { BodyView } from '../search-params.ts';
import { Body } from './body.view.tsx';
import { Duration } from './delivery-list.tsx';
import css from './deliveries.module.css';
import { Replay, skipText } from './replay.tsx';

const lookEveryMs = 5_000;
const waitingLookMs = 30_000;

interface DeliveryViewProps {
  id: string;
  show: BodyView | undefined;
  onClose: () => void;
}

export function DeliveryView({ id, show, onClose }: DeliveryViewProps) {
  useShortcut('Escape', 'Close delivery', onClose);
  const delivery = useCall('getDelivery', { params: { id } }, { everyMs: (output) => output && lookMs(output.data) });
  const detail = useRef<HTMLDivElement>(null);
  // Scrolls to the delivery. On a narrow screen it is above the list, which may be scrolled far down.
  useEffect(() => {
    if (detail.current!.getBoundingClientRect().bottom < 0) detail.current!.scrollIntoView({ block: 'start' });
  }, []);
  const close = (
    <IconButton label="Close delivery" onClick={onClose}>
      <X size={16} aria-hidden />
    </IconButton>
  );
  const isMissing = delivery.error !== null && asFailure(delivery.error).status === 404;
  return (
    <div className={css.detail} ref={detail}>
      {isMissing ? (
        <Panel title="Delivery" actions={close}>
          <Empty title="Delivery not found">
            <p>It has expired, or the link is wrong.</p>
          </Empty>
        </Panel>
      ) : (
        <Loaded query={delivery}>{({ data }) => <View delivery={data} show={show} close={close} />}</Loaded>
      )}
    </div>
  );
}

/**
 * Returns the polling interval in ms while a run is not over, because the event stream reports only the newest runs.
 */
function lookMs({ runs }: Delivery): number | undefined {
  const underway = runs.filter(({ status }) => !isOver(status));
  if (underway.length === 0) return undefined;
  return underway.every(({ status }) => status === 'waiting') ? waitingLookMs : lookEveryMs;
}

interface ViewProps extends Pick<DeliveryViewProps, 'show'> {
  delivery: Delivery;
  close: ReactNode;
}

function View({ delivery, show, close }: ViewProps) {
  return (
    <>
      <Panel
        title={delivery.trigger}
        heading={<TriggerLink id={delivery.trigger_id}>{delivery.trigger}</TriggerLink>}
        actions={close}
      >
        <DescriptionList
          isDense
          facts={[
            ['Received', <DateTime key="at" time={delivery.received_at} />],
            ['Size', bytesText(delivery.bytes)],
            ...(delivery.runs.some(({ replay }) => replay === 0)
              ? [['Duration', <Duration key="duration" delivery={delivery} />] as const]
              : []),
            ['ID', <Id key="id" id={delivery.id} />],
          ]}
        />
        <Outcome delivery={delivery} />
        <Replay delivery={delivery} />
        <UseAsSample delivery={delivery} />
      </Panel>
      <Body delivery={delivery} show={show} />
    </>
  );
}

function UseAsSample({ delivery: { id: delivery, trigger_id: id } }: { delivery: Delivery }) {
  const org = useOrg();
  if (!org.can('manage')) return null;
  return (
    <p className={css.sample}>
      <TriggerLink id={id} search={{ delivery }}>
        Use as sample
      </TriggerLink>
    </p>
  );
}

function Outcome({ delivery: { runs, skipped } }: { delivery: Delivery }) {
  return (
    <ul className={css.outcome}>
      {runs.map(({ id, workflow, version, status, replay }) => (
        <li key={id}>
          <OrgLink to="/o/$org/runs/$id" params={{ id }}>
            {workflow} v{version}
          </OrgLink>{' '}
          <RunState status={status} />
          {replay > 0 && `, replay ${replay}`}
        </li>
      ))}
      {skipped.map((each) => (
        <li key={each.workflow_id}>{skipText(each)}</li>
      ))}
      {runs.length + skipped.length === 0 && <li>No workflow was assigned when this was received.</li>}
    </ul>
  );
}
