import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useCall } from '../../api/queries.ts';
import type { Trigger } from '../../api/types.ts';
import { OrgLink, useOrg } from '../../shell/org.ts';
import { Panel } from '../../shell/page.tsx';
import { SelectField } from '../../ui/controls/field.tsx';
import { Empty } from '../../ui/data/empty.tsx';
import { Loaded } from '../../ui/data/loaded.tsx';
import { readPayload } from '../../ui/text/json.ts';
import { useUnsaved } from '../../ui/unsaved.ts';
import { Assignments } from '../assignments.tsx';
import { type Draft, editsBeyond, filterField, isChanged, toAssigned, toDraft } from './draft.ts';
import css from './map.module.css';
import { mappedInputs, MappingFields } from './mapping.tsx';
import { comparisonText, type Place } from './place.ts';
import { Sample } from './sample.tsx';
import { usePreview } from './use-preview.ts';

const lookEveryMs = 1_000;
const deliveriesShown = 20;

export function ListenAndMap({ trigger }: { trigger: Trigger }) {
  const org = useOrg();
  const search = useSearch({ from: '/signed-in/o/$org/triggers/$id' });
  const navigate = useNavigate({ from: '/o/$org/triggers/$id' });
  const [pinned, setPinned] = useState<string>();
  // Unsaved changes by workflow. All else follows the saved assignment, which somebody else may change meanwhile.
  const [edits, setEdits] = useState<Readonly<Record<string, Draft>>>({});
  const [selected, setSelected] = useState<string>();
  const canMap = org.can('manage');
  const deliveries = useCall(
    'listDeliveries',
    { query: { trigger: trigger.id, limit: deliveriesShown } },
    { everyMs: lookEveryMs },
  );
  const workflows = useCall('listAssignable', { params: { id: trigger.id } }, { isEnabled: canMap });
  const rows = deliveries.data?.data ?? [];
  const newest = rows[0]?.id;
  const shown = search.delivery ?? pinned ?? newest;
  const sample = useCall('getDelivery', { params: { id: shown ?? '' } }, { isEnabled: shown !== undefined });
  const assignmentOf = (id: string | undefined) => trigger.assignments.find(({ workflow_id }) => workflow_id === id);
  const draftOf = (id: string): Draft => ({ ...toDraft(assignmentOf(id)), ...edits[id] });
  const isUnsaved = () => Object.keys(edits).some((id) => isChanged(draftOf(id), assignmentOf(id)));
  useUnsaved(isUnsaved, { lostWith: 'tab', byDefault: 'map' });
  const offered = useFirst(trigger.assignments[0]?.workflow_id ?? workflows.data?.data[0]?.id);
  const workflowId = search.workflow ?? offered;
  const workflow = workflows.data?.data.find(({ id }) => id === workflowId);
  const draft = draftOf(workflowId ?? '');
  const preview = usePreview(
    trigger.id,
    canMap && workflow ? { workflow_id: workflow.id, ...toAssigned(draft) } : undefined,
    newest,
  );
  // An empty body is mapped like one without fields.
  const payload = sample.data && readPayload(sample.data.data.body, sample.data.data.headers)?.value;

  const edit = (next: Draft) => {
    setPinned(shown);
    setEdits({ ...edits, [workflowId!]: { ...edits[workflowId!], ...next } });
  };
  const names = preview.query.data ? mappedInputs(preview.query.data.data, draft).map(({ name }) => name) : [];
  const target = selected ?? names.find((name) => !draft[name]) ?? names[0];
  const pick = (place: Place, value: unknown) => {
    if (target === undefined) return;
    if (target === filterField) return edit({ [target]: withExpression(draft[target] ?? '', place, value) });
    edit({ [target]: place.path });
    setSelected(names.find((name) => name !== target && !draft[name]) ?? target);
  };
  const show = (id: string | undefined) => {
    setPinned(undefined);
    void navigate({ search: { ...search, delivery: id }, replace: true, resetScroll: false });
  };
  return (
    <div className={css.split}>
      <Panel title="Listen">
        <Loaded query={deliveries} lines={8}>
          {() => (
            <Sample
              trigger={trigger}
              deliveries={rows}
              shown={shown}
              onShow={show}
              query={sample}
              payload={payload}
              draft={draft}
              target={target === filterField ? 'the filter' : target}
              onPick={canMap && target !== undefined ? pick : undefined}
              onLook={() => setPinned(shown)}
            />
          )}
        </Loaded>
      </Panel>
      {canMap ? (
        <Panel title="Map">
          <Loaded query={workflows} lines={6}>
            {({ data }) =>
              data.length === 0 ? (
                <Empty title="No workflows yet">
                  <p>A workflow processes each delivery. Publish one to map the fields of a delivery to its inputs.</p>
                  <OrgLink to="/o/$org/workflows/new">Publish the first workflow</OrgLink>
                </Empty>
              ) : (
                <div className={css.part}>
                  <SelectField
                    name="workflow"
                    label="Workflow"
                    value={workflowId}
                    options={data.map(({ id, name, version }) => [id, labelOf(trigger, id, `${name} v${version}`)])}
                    onChange={({ target: { value: id } }) =>
                      void navigate({ search: { ...search, workflow: id }, replace: true, resetScroll: false })
                    }
                  />
                  {workflow && (
                    <MappingFields
                      key={workflow.id}
                      trigger={trigger}
                      workflow={workflow}
                      draft={draft}
                      onEdit={edit}
                      onSaved={(saved) =>
                        setEdits((now) => ({ ...now, [workflow.id]: editsBeyond(saved, now[workflow.id] ?? {}) }))
                      }
                      preview={preview}
                      sample={shown === undefined || payload === undefined ? undefined : { id: shown, payload }}
                      selected={target}
                      onSelect={setSelected}
                      onShow={show}
                    />
                  )}
                </div>
              )
            }
          </Loaded>
        </Panel>
      ) : (
        <Panel title="Workflows">
          <Assignments trigger={trigger} />
        </Panel>
      )}
    </div>
  );
}

/** Returns the first defined value at all later renders, so that a change elsewhere does not replace the workflow. */
function useFirst(offered: string | undefined): string | undefined {
  const [first, setFirst] = useState(offered);
  if (first === undefined && offered !== undefined) setFirst(offered);
  return first;
}

function labelOf({ assignments }: Trigger, id: string, name: string): string {
  return assignments.some(({ workflow_id: assigned }) => assigned === id)
    ? `${name} (assigned)`
    : `${name} (not assigned)`;
}

/** Returns the filter with the place's expression appended. An empty filter becomes a comparison with the value. */
function withExpression(filter: string, place: Place, value: unknown): string {
  return filter.trim() === '' ? comparisonText(place, value) : `${filter.trimEnd()} ${place.expression}`;
}
