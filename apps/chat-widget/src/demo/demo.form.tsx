import { icons } from '../panel/icons.tsx';
import { FieldView } from './demo.field.tsx';
import { demoFields } from './demo.fields.ts';
import { type DemoFormOptions, useDemoForm } from './demo.form.hook.ts';

/** Asks for a demo. Nothing is sent but by the visitor's own click, and only once. */
export function DemoForm(options: DemoFormOptions) {
  const { form, values, problems, seconds, isSending, change, submit } = useDemoForm(options);
  return (
    <form class="card demo-form" part="demo-form" ref={form} noValidate aria-label="Book a demo" onSubmit={submit}>
      <p class="card-title">
        {icons.calendar}
        Book a demo
      </p>
      <div class="fields">
        {demoFields.map((field) => (
          <FieldView
            key={field.name}
            field={field}
            value={values[field.name] ?? ''}
            problem={problems[field.name]}
            onValue={(value) => change(field.name, value)}
          />
        ))}
      </div>
      <p class="form-problem" role="alert">
        {seconds > 0 ? 'Too many requests were sent from here. Please wait a moment.' : problems.form}
      </p>
      <button type="submit" class="primary" part="demo-submit" aria-disabled={isSending || seconds > 0}>
        {seconds > 0 ? `Try again in ${seconds} s` : isSending ? 'Sending…' : 'Request a demo'}
      </button>
    </form>
  );
}
