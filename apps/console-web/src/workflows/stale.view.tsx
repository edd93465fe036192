import type { Workflow } from '../api/types.ts';
import { Button } from '../ui/controls/button.tsx';
import { ActionButton } from '../ui/controls/action-button.tsx';
import { Applied } from './applied.tsx';
import { definitionText } from './definition-text.ts';
import { Diff } from './diff.view.tsx';
import css from './workflows.module.css';

interface StaleProps {
  base: Workflow;
  newest: Workflow;
  mine: string;
  publishMine: () => Promise<void>;
  takeTheirs: () => void;
}

/**
 * Shown if somebody else has published in the meantime: their changes, the differences between their version and this
 * text, and the two ways to continue.
 */
export function Stale({ base, newest, mine, publishMine, takeTheirs }: StaleProps) {
  const theirs = definitionText(newest.definition);
  return (
    <section className={css.stale} role="alert" aria-label="Conflict">
      <h2>Version {newest.version} was published in the meantime</h2>
      <p>
        Published <Applied by={newest.applied_by} at={newest.created_at} />
        {newest.note && `: ${newest.note}`}. Your changes are based on version {base.version}, so they were not
        published. Your text is kept.
      </p>
      <details>
        <summary>{`Changes in version ${newest.version} since version ${base.version}`}</summary>
        <Diff label="Their changes" before={definitionText(base.definition)} after={theirs} />
      </details>
      <details open>
        <summary>{`Your changes to version ${newest.version}`}</summary>
        <Diff label="Your changes to their version" before={theirs} after={mine} />
      </details>
      <div className={css.acts}>
        <Button onClick={takeTheirs}>{`Start over from version ${newest.version}`}</Button>
        <ActionButton
          variant="danger"
          run={publishMine}
        >{`Publish mine on top of version ${newest.version}`}</ActionButton>
      </div>
    </section>
  );
}
