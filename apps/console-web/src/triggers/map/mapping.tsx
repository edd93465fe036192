import { asFailure } from '../../api/failure.ts';
import { refresh } from '../../api/queries.ts';
import type { Preview, Trigger } from '../../api/types.ts';
import { useOrg } from '../../shell/org.ts';
import { CliCommand } from '../../ui/controls/copy.tsx';
import { option, relata } from '../../ui/controls/shell-command.ts';
import { ActionButton } from '../../ui/controls/action-button.tsx';
import { Loaded } from '../../ui/data/loaded.tsx';
import { ErrorAlert } from '../../ui/data/error-alert.tsx';
import { notify } from '../../ui/overlay/notices.tsx';
import { type Draft, filterField, isChanged, toAssigned } from './draft.ts';
import { MapField } from './map-field.tsx';
import css from './map.module.css';
import { suggestFor } from './place.ts';
import { inputOptions } from './source-text.ts';
import type { usePreview } from './use-preview.ts';
import { Verdicts } from './verdicts.tsx';

type Input = Preview['workflow']['inputs'][number];

interface MappingProps {
  trigger: Trigger;
  workflow: { id: string; name: string };
  draft: Draft;
  onEdit: (edits: Draft) => void;
  /** Called with the saved draft. The person may have changed the mapping since. */
  onSaved: (saved: Draft) => void;
  preview: ReturnType<typeof usePreview>;
  sample: { id: string; payload: unknown } | undefined;
  selected: string | undefined;
  onSelect: (field: string) => void;
  onShow: (id: string) => void;
}

/** MappingProps with the result of the preview instead of its query. */
type PreviewedProps = Omit<MappingProps, 'preview'> & { preview: Preview };

export function MappingFields(props: MappingProps) {
  const { query, isOfNow } = props.preview;
  return (
    <Loaded query={query}>
      {({ data: preview }) => (
        <>
          {mappedInputs(preview, props.draft).map((input) => (
            <InputField key={input.name} {...props} input={input} preview={preview} />
          ))}
          <FilterField {...props} preview={preview} />
          {query.error && <ErrorAlert failure={asFailure(query.error)} onRetry={() => void query.refetch()} />}
          <Verdicts preview={preview} isOfNow={isOfNow} shown={props.sample?.id} onShow={props.onShow} />
          <Save {...props} preview={preview} isOfNow={isOfNow} />
        </>
      )}
    </Loaded>
  );
}

/** Returns the inputs of the workflow, and mapped inputs that it no longer has. */
export function mappedInputs({ workflow: { inputs } }: Preview, draft: Draft): Input[] {
  const known = new Set([filterField, ...inputs.map(({ name }) => name)]);
  const gone = Object.keys(draft).filter((name) => !known.has(name) && draft[name] !== '');
  const none = { type: 'no input', format: null, required: false, description: null, has_default: false };
  return [...inputs, ...gone.map((name) => ({ name, ...none }))];
}

function InputField({ input, preview, draft, onEdit, sample, selected, onSelect }: PreviewedProps & { input: Input }) {
  const { name } = input;
  const previewed = preview.deliveries.find(({ id }) => id === sample?.id);
  const fault = preview.faults.find((each) => each.input === name)?.message;
  const problem = previewed?.problems.find((each) => each.input === name)?.message;
  const value = draft[name] ?? '';
  const got = previewed?.inputs[name];
  return (
    <MapField
      label={input.required ? `${name} *` : name}
      about={[input.type, input.format, input.description].filter(Boolean).join(', ')}
      value={value}
      placeholder={input.has_default ? 'Default value' : 'Click a value, or type a path or = "constant"'}
      fault={value === '' ? undefined : (fault ?? (problem && `In this delivery: ${problem}.`))}
      result={got === undefined ? undefined : <bdi>{got} ✓</bdi>}
      suggestion={sample && suggestFor(name, sample.payload)?.path}
      isSelected={selected === name}
      onSelect={() => onSelect(name)}
      onChange={(text) => onEdit({ [name]: text })}
    />
  );
}

function FilterField({ preview, draft, onEdit, selected, onSelect }: PreviewedProps) {
  return (
    <MapField
      label="Filter"
      about="expression over payload and delivery.headers"
      value={draft[filterField] ?? ''}
      placeholder="No filter: all deliveries"
      fault={preview.faults.find(({ input }) => input === null)?.message}
      isSelected={selected === filterField}
      isMultiline
      onSelect={() => onSelect(filterField)}
      onChange={(text) => onEdit({ [filterField]: text })}
    />
  );
}

function Save({ trigger, workflow, draft, onSaved, preview, isOfNow }: PreviewedProps & { isOfNow: boolean }) {
  const { call } = useOrg();
  const assigned = toAssigned(draft);
  const assignment = trigger.assignments.find(({ workflow_id: id }) => id === workflow.id);
  const reason = whyNot(preview, draft, assignment !== undefined && !isChanged(draft, assignment));
  const save = async () => {
    const body = { workflow_id: workflow.id, ...assigned };
    await call('assignWorkflow', { params: { id: trigger.id }, body });
    await refresh('getTrigger', 'listTriggers');
    onSaved(draft);
    notify(`Mapping saved. ${trigger.name} now starts ${workflow.name}.`);
  };
  const filter = assigned.filter === undefined ? [] : option('filter', assigned.filter);
  return (
    <>
      <div className={css.save}>
        <ActionButton variant="primary" run={save} disabled={reason !== undefined || !isOfNow}>
          Save mapping
        </ActionButton>
        <span className={css.note}>{reason}</span>
      </div>
      <CliCommand
        command={relata('triggers', 'assign', trigger.id, workflow.name, ...inputOptions(assigned.inputs), ...filter)}
      />
    </>
  );
}

function whyNot({ workflow, faults }: Preview, draft: Draft, isUnchanged: boolean): string | undefined {
  const missing = workflow.inputs.filter(({ name, required }) => required && !draft[name]?.trim());
  if (missing.length > 0) return `Map the required inputs first: ${missing.map(({ name }) => name).join(', ')}.`;
  if (faults.length > 0) return faults[0]!.message;
  return isUnchanged ? 'Saved.' : undefined;
}
