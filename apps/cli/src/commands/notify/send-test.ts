import { setTimeout as pause } from 'node:timers/promises';
import { findNotifyChannel, type NotifyChannel, requestTestMessage } from '@relata/notify';
import type { CommandContext } from '../../command/command.ts';
import { CliError } from '../../output/cli.error.ts';

/** Time limit for a worker, which looks for test messages once a second and posts within 5 seconds. */
const waitMs = 20_000;
const lookEveryMs = 250;

/** Asks for a test message and waits until a worker has sent it. Throws CliError if none did. */
export async function sendTest({ database, actorIn }: CommandContext, orgId: string): Promise<NotifyChannel> {
  const untilMs = performance.now() + waitMs;
  let channel: NotifyChannel | undefined = await requestTestMessage({ database }, actorIn(orgId));
  while (channel && !hasEnded(channel) && performance.now() < untilMs) {
    await pause(lookEveryMs);
    channel = await findNotifyChannel(database, orgId);
  }
  if (channel?.test === 'sent') return channel;
  const message = channel?.last_error?.message ?? 'No worker has sent it yet. Is one running, with NOTIFY_KEYS?';
  throw new CliError('not_sent', `The test message was not sent. ${message}`);
}

/** Returns true once the outcome is known. The reason of a failure is stored a moment after the failure. */
const hasEnded = ({ test, last_error: error }: NotifyChannel) =>
  test === 'sent' || (test === 'failed' && error !== null);
