import { failedRun } from './failed-run.ts';
import type { NoticeKind } from './notice-kind.ts';
import { refusedStart } from './refused-start.ts';
import { refusingTrigger } from './refusing-trigger.ts';
import { testMessage } from './test-message.ts';

/** All kinds of notices by their name in the database. */
export const kinds: Readonly<Record<string, NoticeKind>> = {
  failed_run: failedRun,
  refused_start: refusedStart,
  refusing_trigger: refusingTrigger,
  test: testMessage,
};
