import { icons } from '../panel/icons.tsx';
import { FieldView } from './field.view.tsx';
import { type DemoFieldName, type DemoInput, optionalFields, requiredFields } from './demo-fields.ts';
import { type DemoFormOptions, type DemoFormState, useDemoForm } from './use-demo-form.ts';

const words = {
  demo: { title: 'Book a demo', icon: icons.calendar, submit: 'Request a demo' },
  contact: { title: 'Talk to us', icon: icons.chat, submit: 'Send request' },
};

/** Shows a form for a demo, or for somebody of the team. Only the visitor's own click sends it, and only once. */
export function DemoForm({ form: asked, ...options }: DemoFormOptions) {
  const state = useDemoForm(options);
  const { form, problems, seconds, isSending, submit } = state;
  const { title, icon, submit: submitText } = words[asked];
  return (
    <form class="card demo-form" part="demo-form" ref={form} noValidate aria-label={title} onSubmit={submit}>
      <p class="card-title">
        {icon}
        {title}
      </p>
      <FieldGroup fields={requiredFields} {...state} />
      <MoreFields {...state} />
      <p class="form-problem" role="alert">
        {seconds > 0 ? 'Too many requests were sent from here. Please wait a moment.' : problems.form}
      </p>
      <button type="submit" class="primary" part="demo-submit" aria-disabled={isSending || seconds > 0}>
        {seconds > 0 ? `Try again in ${seconds} s` : isSending ? 'Sending…' : submitText}
      </button>
    </form>
  );
}

type FieldsProps = Pick<DemoFormState, 'values' | 'problems' | 'change'> & {
  fields: typeof requiredFields | typeof optionalFields;
};

function FieldGroup({ fields, values, problems, change }: FieldsProps) {
  return (
    <div class="fields">
      {fields.map((field) => (
        <FieldView
          key={field.name}
          field={field}
          value={values[field.name] ?? ''}
          problem={problems[field.name]}
          onValue={(value) => change(field.name, value)}
        />
      ))}
    </div>
  );
}

/** Shows the optional fields, folded so that the form fits the panel; the conversation may have filled in some. */
function MoreFields(state: DemoFormState) {
  const { values, isUnfolded, setIsUnfolded } = state;
  return (
    <details class="more" open={isUnfolded} onToggle={(event) => setIsUnfolded(event.currentTarget.open)}>
      <summary>More details ({filledText(values)})</summary>
      <FieldGroup fields={optionalFields} {...state} />
    </details>
  );
}

function filledText(values: DemoInput): string {
  const filled = optionalFields.filter(({ name }: { name: DemoFieldName }) => values[name]?.trim()).length;
  return filled === 0 ? 'optional' : `${filled} filled in`;
}
