import { shellCommand } from '../ui/controls/shell-command.ts';

const sample = '{"user":{"email":"ada@robotics.example","name":"Ada Lovelace"}}';

/** A post to a trigger as a sender makes it, to be pasted into a terminal. */
export const sampleCurl = (url: string, secret: string) =>
  shellCommand('curl', '-s', url, '-H', `X-Webhook-Secret: ${secret}`, '-d', sample);
