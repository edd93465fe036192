import type { DemoField, DemoFieldName } from './demo-fields.ts';

interface FieldViewProps {
  field: DemoField & { name: DemoFieldName };
  value: string;
  problem: string | undefined;
  onValue: (value: string) => void;
}

/** Shows a field with its label and problem. */
export function FieldView({ field, value, problem, onValue }: FieldViewProps) {
  const { name, label, isRequired, isLong } = field;
  const problemId = problem ? `problem-${name}` : undefined;
  return (
    <div class={`field ${isLong || isRequired ? 'wide' : ''}`}>
      <label class="label" for={`field-${name}`}>
        {label}
        {isRequired && <span aria-hidden="true"> *</span>}
      </label>
      <Control {...{ field, value, onValue, problemId }} />
      {problem && (
        <span class="problem" id={problemId}>
          {problem}
        </span>
      )}
    </div>
  );
}

interface ControlProps extends Pick<FieldViewProps, 'field' | 'value' | 'onValue'> {
  problemId: string | undefined;
}

function Control({ field, value, onValue, problemId }: ControlProps) {
  const { name, isRequired, isLong, autocomplete, options, charsMax } = field;
  const shared = {
    id: `field-${name}`,
    name,
    value,
    'aria-invalid': problemId !== undefined,
    'aria-describedby': problemId,
    onInput: (event: { currentTarget: { value: string } }) => onValue(event.currentTarget.value),
  };
  if (options) return <Choice shared={shared} options={options} value={value} />;
  if (isLong) return <textarea {...shared} rows={2} maxLength={charsMax} dir="auto" />;
  const line = { ...shared, maxLength: charsMax, 'aria-required': isRequired, dir: 'auto' as const };
  if (autocomplete === 'email') return <input {...line} type="email" autocomplete="email" />;
  return <input {...line} type="text" autocomplete={autocomplete ?? 'off'} />;
}

/** Shows choices. A value from the conversation stays, even if it is not among them. */
function Choice({ shared, options, value }: { shared: object; options: readonly string[]; value: string }) {
  const all = value === '' || options.includes(value) ? options : [value, ...options];
  return (
    <span class="choice">
      <select {...shared}>
        <option value="">Choose…</option>
        {all.map((option) => (
          <option key={option} value={option}>
            {option.replace('-', '–')}
          </option>
        ))}
      </select>
    </span>
  );
}
