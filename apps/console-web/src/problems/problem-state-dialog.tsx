import type { Problem } from '../api/types.ts';
import type { ProblemState } from '../search-params.ts';
import { useOrg } from '../shell/org.ts';
import { relata } from '../ui/controls/shell-command.ts';
import { FormDialog } from '../ui/overlay/form-dialog.tsx';
import { notify } from '../ui/overlay/notices.tsx';
import { causeOptions, problemName } from './problem-text.ts';

const words = {
  resolved: {
    act: 'Resolve',
    command: 'resolve',
    about: 'The problem is closed. If it happens again, it is reopened and marked as such.',
  },
  ignored: {
    act: 'Ignore',
    command: 'ignore',
    about: 'The problem is listed only under Ignored until somebody reopens it. New failures are still counted.',
  },
  open: { act: 'Reopen', command: 'reopen', about: 'The problem is listed under Open again.' },
} as const;

export const stateActs: Record<ProblemState, readonly ProblemState[]> = {
  open: ['resolved', 'ignored'],
  resolved: ['open', 'ignored'],
  ignored: ['open', 'resolved'],
};

export const actName = (state: ProblemState) => words[state].act;

/** Explains the new state of a problem, and asks for confirmation. The runs of the problem do not change. */
export function ProblemStateDialog({
  problem,
  to,
  onClose,
}: {
  problem: Problem;
  to: ProblemState;
  onClose: () => void;
}) {
  const { id: org, call } = useOrg();
  const { act, command, about } = words[to];
  const seen = { runs: problem.runs, last_failed_at: problem.last_failed_at };
  const body = { workflow: problem.workflow_id, step: problem.step, code: problem.code, state: to, seen };
  return (
    <FormDialog
      title={`${act} ${problemName(problem)}?`}
      isAlert
      act={act}
      send={() => call('setProblemState', { body })}
      command={() => relata('problems', command, ...causeOptions(org, problem))}
      refreshes={['listProblems', 'getToday']}
      onClose={onClose}
      onDone={() => {
        notify(`${problemName(problem)}: ${to}.`);
        onClose();
      }}
    >
      <p>{about} Its runs and deliveries do not change.</p>
    </FormDialog>
  );
}
