import type { ReadForm } from '../read-form.ts';

/** How the messages of one kind of channel are written: the JSON that its webhook takes. */
export interface ChannelFormat {
  /** `from` is a line of our own which says whose message it is; no text can look like it. */
  text(text: string, from: string): object;
  form(form: ReadForm): object;
}
