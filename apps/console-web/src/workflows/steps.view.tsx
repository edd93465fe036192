import { useEffect, useRef, useState } from 'react';
import { Button } from '../ui/controls/button.tsx';
import { Empty } from '../ui/data/empty.tsx';
import { type StepLine, stepLines } from './outline.ts';
import css from './workflows.module.css';

interface StepsProps {
  definition: unknown;
  /** Path of the step to mark and scroll to, such as `each.contact`. */
  marked: string | undefined;
}

/** The steps of a definition as a list; steps of a loop are nested below it. */
export function Steps({ definition, marked }: StepsProps) {
  const list = useRef<HTMLDivElement>(null);
  // Returns nothing: in newer browsers scrollIntoView returns a promise, which React would call as a clean-up.
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'center' });
  }, [marked]);
  const steps = stepLines(definition);
  if (steps.length === 0) return <Empty>This workflow has no steps.</Empty>;
  return (
    <div ref={list}>
      <StepList steps={steps} marked={marked} />
    </div>
  );
}

function StepList({ steps, marked }: { steps: readonly StepLine[]; marked: string | undefined }) {
  return (
    <ol className={css.steps}>
      {steps.map((step, at) => (
        <li key={at} aria-current={step.id === marked ? 'step' : undefined}>
          <StepView
            step={step}
            marked={marked?.startsWith(`${step.id}.`) ? marked.slice(step.id.length + 1) : undefined}
          />
        </li>
      ))}
    </ol>
  );
}

function StepView({ step, marked }: { step: StepLine; marked: string | undefined }) {
  const { id, use, when, given, rules, steps } = step;
  return (
    <>
      <p>
        <strong>{id}</strong> <code className={css.use}>{use}</code>
      </p>
      {when !== undefined && (
        <p>
          Condition: <code>{when}</code>
        </p>
      )}
      {given.length > 0 && <Given given={given} />}
      {rules.length > 0 && <p className={css.note}>{rules.join(' ')}</p>}
      {steps.length > 0 && (
        <>
          <p className={css.note}>For each item:</p>
          <StepList steps={steps} marked={marked} />
        </>
      )}
    </>
  );
}

const shownMax = 12;

function Given({ given }: { given: StepLine['given'] }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? given : given.slice(0, shownMax);
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
      {shown.length < given.length && (
        <Button variant="link" onClick={() => setWhole(true)}>{`Show all ${given.length} values`}</Button>
      )}
    </>
  );
}
