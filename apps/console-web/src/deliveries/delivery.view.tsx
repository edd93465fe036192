import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { refresh, useCall } from '../api/queries.ts';
import type { Delivery } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import { Panel } from '../shell/page.tsx';
import { ActTryButton } from '../ui/controls/act-try-button.tsx';
import { Button, IconButton } from '../ui/controls/button.tsx';
import { CopyButton, Id, Terminal } from '../ui/controls/copy.tsx';
import { relata } from '../ui/controls/shell-command.ts';
import { bytesText, Facts } from '../ui/data/facts.tsx';
import { JsonTree } from '../ui/data/json-tree.tsx';
import { LoadedRecord } from '../ui/data/loaded.tsx';
import { At } from '../ui/data/time.tsx';
import { notify } from '../ui/overlay/notices.tsx';
import { RunState } from '../runs/run-state.tsx';
import css from './deliveries.module.css';

interface DeliveryViewProps {
  id: string;
  onClose: () => void;
}

export function DeliveryView({ id, onClose }: DeliveryViewProps) {
  const { id: org } = useOrg();
  const delivery = useCall('getDelivery', { params: { org, id } });
  return (
    <div className={css.detail}>
      <LoadedRecord query={delivery}>{({ data }) => <View delivery={data} onClose={onClose} />}</LoadedRecord>
    </div>
  );
}

function View({ delivery, onClose }: { delivery: Delivery; onClose: () => void }) {
  const close = (
    <IconButton label="Close" onClick={onClose}>
      <X size={16} aria-hidden />
    </IconButton>
  );
  return (
    <>
      <Panel title={delivery.trigger} actions={close}>
        <Facts
          of={[
            ['Came in', <At key="at" of={delivery.received_at} />],
            ['Size', bytesText(delivery.bytes)],
            ['Id', <Id key="id" of={delivery.id} />],
          ]}
        />
        <Outcome of={delivery} />
        <Replay of={delivery} />
      </Panel>
      <Body of={delivery} />
    </>
  );
}

/** What it started, and what not and why. */
function Outcome({ of: { runs, skipped } }: { of: Delivery }) {
  const { id: org } = useOrg();
  return (
    <ul className={css.outcome}>
      {runs.map(({ id, workflow, status, replay }) => (
        <li key={id}>
          <Link to="/o/$org/runs/$id" params={{ org, id }}>
            {workflow}
          </Link>{' '}
          <RunState status={status} />
          {replay > 0 && `, replay ${replay}`}
        </li>
      ))}
      {skipped.map(({ workflow_id, workflow, reason, message }) => (
        <li key={workflow_id}>
          {workflow ?? 'A workflow that is gone'}:{' '}
          {reason === 'filtered' ? 'not started by its filter' : 'its filter failed'}
          {message && `: ${message}`}
        </li>
      ))}
      {runs.length + skipped.length === 0 && <li>No workflow was assigned when it came in.</li>}
    </ul>
  );
}

function Replay({ of }: { of: Delivery }) {
  const org = useOrg();
  if (!org.can('work')) return null;
  const replay = async () => {
    const { data } = await call('replayDelivery', { params: { org: org.id, id: of.id } });
    await refresh('getDelivery', 'listDeliveries', 'listRuns');
    notify(data.runs.length === 1 ? '1 run was started.' : `${data.runs.length} runs were started.`);
  };
  return (
    <div className={css.part}>
      <p>A replay starts what the trigger starts now, with the newest versions.</p>
      <ActTryButton name="Replay" shortcut="r" run={replay} />
      <Terminal command={relata('deliveries', 'replay', of.id)} />
    </div>
  );
}

const views = ['Tree', 'Raw', 'Headers'] as const;

function Body({ of: { body, headers } }: { of: Delivery }) {
  const [view, setView] = useState<(typeof views)[number]>('Tree');
  return (
    <Panel title="Body" actions={<CopyButton text={body} label="Copy raw" />}>
      <div className={css.views} role="group" aria-label="Show as">
        {views.map((name) => (
          <Button key={name} look="quiet" aria-pressed={view === name} onClick={() => setView(name)}>
            {name}
          </Button>
        ))}
      </div>
      <div className={css.body} tabIndex={0} role="region" aria-label={view}>
        {view === 'Tree' && <JsonTree value={parsed(body)} />}
        {view === 'Raw' && <Raw text={body} />}
        {view === 'Headers' && <Facts of={Object.entries(headers)} />}
      </div>
    </Panel>
  );
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

const charactersShown = 100_000;

/** In parts: one line of half a megabyte would hold the page up for seconds. */
function Raw({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? text : text.slice(0, charactersShown);
  return (
    <>
      <pre>{shown}</pre>
      {shown.length < text.length && <Button onClick={() => setWhole(true)}>Show all {bytesText(text.length)}</Button>}
    </>
  );
}
