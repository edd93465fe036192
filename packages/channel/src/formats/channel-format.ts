import type { ReadForm } from '../read-form.ts';

/** Format of messages for one kind of channel, as the JSON that its webhook accepts. */
export interface ChannelFormat {
  /**
   * Formats a text. `from` is the line that names the organization. It must look different from anything that a text
   * can contain.
   */
  text(text: string, from: string): object;
  form(form: ReadForm): object;
}
