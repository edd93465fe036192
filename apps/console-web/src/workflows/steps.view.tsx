import { useState } from 'react';
import { Button } from '../ui/controls/button.tsx';
import { Empty } from '../ui/data/empty.tsx';
import { type StepLine, stepLines } from './outline.ts';
import css from './workflows.module.css';

/** The steps of a definition as a list; those of a loop stand below it. */
export function Steps({ definition }: { definition: unknown }) {
  const steps = stepLines(definition);
  if (steps.length === 0) return <Empty>It has no steps.</Empty>;
  return <StepList steps={steps} />;
}

function StepList({ steps }: { steps: readonly StepLine[] }) {
  return (
    <ol className={css.steps}>
      {steps.map((step, at) => (
        <li key={at}>
          <StepView of={step} />
        </li>
      ))}
    </ol>
  );
}

function StepView({ of: { id, use, when, given, rules, steps } }: { of: StepLine }) {
  return (
    <>
      <p>
        <strong>{id}</strong> <code className={css.use}>{use}</code>
      </p>
      {when !== undefined && (
        <p>
          Only when <code>{when}</code>
        </p>
      )}
      {given.length > 0 && <Given of={given} />}
      {rules.length > 0 && <p className={css.note}>{rules.join(' ')}</p>}
      {steps.length > 0 && (
        <>
          <p className={css.note}>For each item:</p>
          <StepList steps={steps} />
        </>
      )}
    </>
  );
}

const shownMax = 12;

function Given({ of }: { of: StepLine['given'] }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? of : of.slice(0, shownMax);
  return (
    <>
      <dl className={css.given}>
        {shown.map(([path, value]) => (
          <div key={path}>
            <dt>{path}</dt>
            <dd>
              <code>{value}</code>
            </dd>
          </div>
        ))}
      </dl>
      {shown.length < of.length && (
        <Button look="link" onClick={() => setWhole(true)}>{`All ${of.length} values`}</Button>
      )}
    </>
  );
}
