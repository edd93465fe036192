import { call } from '../api/client.ts';
import { refresh } from '../api/queries.ts';
import type { Problem } from '../api/types.ts';
import type { ProblemState } from '../search-params.ts';
import { useOrg } from '../shell/org.ts';
import { Button } from '../ui/controls/button.tsx';
import { Terminal } from '../ui/controls/copy.tsx';
import { Form } from '../ui/controls/form.tsx';
import { relata } from '../ui/controls/shell-command.ts';
import { Dialog } from '../ui/overlay/dialog.tsx';
import { notify } from '../ui/overlay/notices.tsx';
import { nameOf } from './problem-text.ts';
import css from './problems.module.css';

const words = {
  resolved: {
    act: 'Resolve',
    command: 'resolve',
    about: 'The problem is closed. If it happens again, it is reopened and marked as such.',
  },
  ignored: {
    act: 'Ignore',
    command: 'ignore',
    about: 'The problem is hidden here and on Today until somebody reopens it. New failures are still counted.',
  },
  open: { act: 'Reopen', command: 'reopen', about: 'The problem is listed under Open again.' },
} as const;

export const stateActs: Record<ProblemState, readonly ProblemState[]> = {
  open: ['resolved', 'ignored'],
  resolved: ['open', 'ignored'],
  ignored: ['open', 'resolved'],
};

export const actName = (state: ProblemState) => words[state].act;

interface PutAsideProps {
  of: Problem;
  to: ProblemState;
  onClose: () => void;
}

/** Says what a state means before a problem gets it. Its runs stay as they are. */
export function PutAside({ of, to, onClose }: PutAsideProps) {
  const { id: org } = useOrg();
  const { act, command, about } = words[to];
  const send = async () => {
    const seen = { runs: of.runs, last_failed_at: of.last_failed_at };
    const body = { workflow: of.workflow_id, step: of.step, code: of.code, state: to, seen };
    await call('setProblemState', { params: { org }, body });
    await refresh('listProblems', 'getToday');
    notify(`${nameOf(of)}: ${to}.`);
  };
  const cause = ['--org', org, '--workflow', of.workflow_id, '--step', of.step, '--code', of.code];
  return (
    <Dialog isOpen onClose={onClose} title={`${act} ${nameOf(of)}?`} isAlert>
      <Form send={send} onDone={onClose}>
        {(isBusy) => (
          <>
            <p>{about} Its runs do not change.</p>
            <Terminal command={relata('problems', command, ...cause)} />
            <div className={css.actions}>
              <Button onClick={onClose}>Cancel</Button>
              <Button type="submit" look="primary" isBusy={isBusy}>
                {act}
              </Button>
            </div>
          </>
        )}
      </Form>
    </Dialog>
  );
}
