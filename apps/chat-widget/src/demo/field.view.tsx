import type { DemoField, DemoFieldName } from './demo-fields.ts';

interface FieldViewProps {
  field: DemoField & { name: DemoFieldName };
  /** Initial value. */
  value: string;
  problem: string | undefined;
}

export function FieldView({ field, value, problem }: FieldViewProps) {
  const { name, label, isRequired, isLong } = field;
  const problemId = problem ? `problem-${name}` : undefined;
  return (
    <div class={`field ${isLong || isRequired ? 'wide' : ''}`}>
      <label class="label" for={`field-${name}`}>
        {label}
        {isRequired && <span aria-hidden="true"> *</span>}
      </label>
      <Control {...{ field, value, problemId }} />
      {problem && (
        <span class="problem" id={problemId}>
          {problem}
        </span>
      )}
    </div>
  );
}

interface ControlProps extends Pick<FieldViewProps, 'field' | 'value'> {
  problemId: string | undefined;
}

function Control({ field, value, problemId }: ControlProps) {
  const { name, isRequired, isLong, autocomplete, options, charsMax } = field;
  const shared = {
    id: `field-${name}`,
    name,
    'aria-invalid': problemId !== undefined,
    'aria-describedby': problemId,
  };
  if (options) return <Choice shared={shared} options={options} value={value} />;
  if (isLong) return <textarea {...shared} defaultValue={value} rows={2} maxLength={charsMax} dir="auto" />;
  const line = {
    ...shared,
    defaultValue: value,
    maxLength: charsMax,
    'aria-required': isRequired,
    dir: 'auto' as const,
  };
  if (autocomplete === 'email') return <input {...line} type="email" autocomplete="email" />;
  return <input {...line} type="text" autocomplete={autocomplete ?? 'off'} />;
}

/** Shows a list of options. Keeps a value from the conversation even if it is not one of the options. */
function Choice({ shared, options, value }: { shared: object; options: readonly string[]; value: string }) {
  const all = value === '' || options.includes(value) ? options : [value, ...options];
  return (
    <span class="choice">
      <select {...shared}>
        <option value="">Choose…</option>
        {all.map((option) => (
          <option key={option} value={option} selected={option === value}>
            {option.replace('-', '–')}
          </option>
        ))}
      </select>
    </span>
  );
}
