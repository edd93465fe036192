import { failedRun } from './failed-run.ts';
import type { NoticeKind } from './notice-kind.ts';
import { refusedStart } from './refused-start.ts';
import { refusingTrigger } from './refusing-trigger.ts';

/** A message that a person requested, to check that the channel works. */
const testMessage: NoticeKind = {
  counted: 'test messages',
  describe: async () => ({
    title: 'Test message',
    fields: [
      { label: 'Message', value: 'Relata will report failed runs, missing inputs and refused posts in this channel.' },
    ],
    whole: 'relata notify show',
  }),
};

/** All kinds of notices by their name in the database. */
export const kinds: Readonly<Record<string, NoticeKind>> = {
  failed_run: failedRun,
  refused_start: refusedStart,
  refusing_trigger: refusingTrigger,
  test: testMessage,
};
