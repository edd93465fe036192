import type { ReadForm } from './read-form.ts';

/** How the messages of one kind of channel are written: the JSON that its webhook takes. */
export interface ChannelFormat {
  text(text: string): object;
  form(form: ReadForm): object;
}
