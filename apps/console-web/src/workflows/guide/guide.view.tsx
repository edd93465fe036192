import { Panel } from '../../shell/page.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { DocsLink } from '../../ui/controls/docs-link.tsx';
import { type GuideExample, guideExamples, type GuideStep, guideSteps } from './guide.ts';
import css from './guide.module.css';

interface GuideProps {
  onInsert: (step: GuideStep) => void;
  onUse: (example: GuideExample) => void;
}

export function Guide({ onInsert, onUse }: GuideProps) {
  return (
    <section className={css.guide} aria-label="Help with the definition">
      <p>
        <DocsLink page="workflows">Documentation of workflows</DocsLink>
      </p>
      <Panel title="Add a step">
        <ul className={css.entries}>
          {guideSteps.map((step) => (
            <li key={step.use}>
              <StepEntry step={step} onInsert={onInsert} />
            </li>
          ))}
        </ul>
      </Panel>
      <Panel title="Examples">
        <ul className={css.entries}>
          {guideExamples.map((example) => (
            <li key={example.name} className={css.example}>
              <code>{example.name}</code>
              {example.description && <p>{example.description}.</p>}
              <Button aria-label={`Use example ${example.name}`} onClick={() => onUse(example)}>
                Use example
              </Button>
            </li>
          ))}
        </ul>
      </Panel>
    </section>
  );
}

function StepEntry({ step, onInsert }: { step: GuideStep; onInsert: (step: GuideStep) => void }) {
  const { use, summary, fields, output } = step;
  return (
    <details>
      <summary>
        <code>{use}</code>
        <span>{summary}</span>
      </summary>
      <div className={css.entry}>
        <Button aria-label={`Insert ${use}`} onClick={() => onInsert(step)}>
          Insert
        </Button>
        <dl className={css.fields}>
          {fields.map(({ path, type, isRequired, description }) => (
            <div key={path}>
              <dt>
                <code>{path}</code>
                {isRequired && ' required'}
              </dt>
              <dd>
                {type}
                {description && `. ${description}`}
              </dd>
            </div>
          ))}
        </dl>
        <p className={css.output}>
          Output: {output.length > 0 ? output.join(', ') : 'a list with the last output of each iteration'}
        </p>
      </div>
    </details>
  );
}
