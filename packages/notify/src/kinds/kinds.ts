import { failedRun } from './failed-run.ts';
import type { NoticeKind } from './notice-kind.ts';
import { refusingTrigger } from './refusing-trigger.ts';
import { testMessage } from './test-message.ts';

/**
 * All kinds of notices by their name in the database. Two more belong here once they exist: endpoints that were disabled,
 * and accepted deliveries whose mapping fails, with trigger, workflow, input and code as the cause.
 */
export const kinds: Readonly<Record<string, NoticeKind>> = {
  failed_run: failedRun,
  refusing_trigger: refusingTrigger,
  test: testMessage,
};
