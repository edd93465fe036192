import type { NoticeKind } from './notice-kind.ts';

/** A message that somebody asked for, to see that the channel works. */
export const testMessage: NoticeKind = {
  counted: 'test messages',
  describe: async () => ({
    title: 'Test message',
    fields: [
      { label: 'Message', value: 'This channel is told of runs that fail for good and of triggers that refuse posts.' },
    ],
    whole: 'relata notify show',
  }),
};
