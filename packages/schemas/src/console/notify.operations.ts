import { z } from 'zod';
import { shortText } from '../fields/text.ts';
import { dataSchema } from '../lists/list.ts';
import { consoleOperation } from './shared/console-operation.ts';
import { done, time } from './shared/page.schema.ts';

const ChannelKind = z.enum(['slack', 'teams', 'discord', 'google-chat']);

/** The channel that tells the team about failures. Its URL is a secret, so only its host and its end are shown. */
const NotifyChannel = z.object({
  kind: ChannelKind,
  host: z.string(),
  last_four: z.string(),
  last_sent_at: time.nullable(),
  /** Why the last message did not arrive; null once a message has arrived. */
  last_error: z.object({ code: z.string(), message: z.string() }).nullable(),
  /** Number of causes of failures that the team has not been told about yet. */
  waiting: z.int(),
  /** Outcome of the last test message; null if there was none in the last 7 days. */
  test: z.enum(['waiting', 'sent', 'failed']).nullable(),
  created_at: time,
  updated_at: time,
});

export type NotifyChannel = z.output<typeof NotifyChannel>;

/** Returns null if no channel is set. */
export const getNotifyChannel = consoleOperation('get', '/orgs/{org}/notify', {
  permission: 'manage',
  success: { status: 200, body: dataSchema(NotifyChannel.nullable()) },
});

/** Replaces the previous channel. If `kind` is omitted, it is detected from the host of the URL. */
export const setNotifyChannel = consoleOperation('post', '/orgs/{org}/notify', {
  permission: 'manage',
  body: z.strictObject({ url: shortText(), kind: ChannelKind.optional() }),
  example: { url: 'https://hooks.slack.com/services/T000/B000/XXXXXXXX' },
  success: { status: 200, body: dataSchema(NotifyChannel) },
  errors: ['conflict'],
});

/** A worker sends the message within seconds; `test` of the channel then shows the outcome. */
export const testNotifyChannel = consoleOperation('post', '/orgs/{org}/notify/test', {
  permission: 'manage',
  success: { status: 200, body: dataSchema(NotifyChannel) },
});

/** Also drops all messages that were not sent yet. */
export const removeNotifyChannel = consoleOperation('post', '/orgs/{org}/notify/remove', {
  permission: 'manage',
  success: { status: 200, body: done },
});
