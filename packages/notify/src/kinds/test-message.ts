import type { NoticeKind } from './notice-kind.ts';

/** A message that a person requested, to check that the channel works. */
export const testMessage: NoticeKind = {
  counted: 'test messages',
  describe: async () => ({
    title: 'Test message',
    fields: [
      { label: 'Message', value: 'Relata will report failed runs, missing inputs and refused posts in this channel.' },
    ],
    whole: 'relata notify show',
  }),
};
