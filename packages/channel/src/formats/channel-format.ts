import type { ReadForm } from '../read-form.ts';

/** Format of the messages of one kind of channel: the JSON that its webhook accepts. */
export interface ChannelFormat {
  /** Formats a text. `from` is our own line, which names the organization; no text of others can imitate it. */
  text(text: string, from: string): object;
  form(form: ReadForm): object;
}
