import { setTimeout as pause } from 'node:timers/promises';
import { channelKinds } from '@relata/channel';
import {
  findNotifyChannel,
  listOrganizationsToReencryptChannels,
  type NotifyChannel,
  reencryptNotifyChannel,
  removeNotifyChannel,
  requestTestMessage,
  setNotifyChannel,
} from '@relata/notify';
import { orNotFound } from '@relata/schemas/errors';
import { z } from 'zod';
import { CliError } from '../../output/cli.error.ts';
import { command, type CommandContext, type CommandGroup } from '../../command/command.ts';
import { value } from '../../command/parameter.ts';
import { eachOrganization } from '../orgs/each-organization.ts';
import { anyOrganization, org } from '../orgs/organization-option.ts';
import { requireKeys } from '../secrets/secret-keys.ts';
import { readSecretValue } from '../secrets/secret-value.ts';

/** Returns a channel for the output, with only the end of its URL. */
const shown = ({ last_four: lastFour, ...channel }: NotifyChannel) => ({ ...channel, url_ends_with: lastFour });

const show = command({
  name: 'show',
  summary: 'Show the channel of an organization, and the result of its last message',
  options: { org },
  examples: ['notify show --org ORG_ID'],
  run: async ({ database }, { org }) => {
    const message = 'The organization has no channel. Set one: relata notify set';
    return shown(orNotFound(await findNotifyChannel(database, org), message));
  },
});

const set = command({
  name: 'set',
  summary:
    'Set the channel in which the team is told about failed runs and refused requests; without an option, the URL is read from standard input',
  options: {
    org,
    channel: value(
      'URL',
      z.string().optional(),
      'Incoming webhook of the chat; other users of this machine can see it',
    ),
    channel_file: value('FILE', z.string().min(1).optional(), 'File to read the URL from; - for standard input'),
    kind: value(
      'KIND',
      z.enum(channelKinds).optional(),
      `Kind of chat: ${channelKinds.join(', ')} (default: by the host of the URL)`,
    ),
  },
  examples: ['notify set --org ORG_ID --channel-file url.txt', 'notify set --org ORG_ID --channel URL --kind teams'],
  check: ({ channel, channel_file: file }) =>
    channel !== undefined && file !== undefined ? 'Give --channel or --channel-file, not both.' : undefined,
  run: async (context, { org, channel, channel_file: file, kind }) => {
    const keys = requireKeys('NOTIFY_KEYS', context.databaseUrl);
    const url = (channel ?? (await readSecretValue(file))).trim();
    return shown(await setNotifyChannel(context, context.actorIn(org), { url, kind }, keys));
  },
  note: ({ org_id: id }) => `Send a test message: relata notify test --org ${id}`,
});

const test = command({
  name: 'test',
  summary: 'Send a test message to the channel of an organization; a worker must be running',
  options: { org },
  examples: ['notify test --org ORG_ID'],
  run: async (context, { org }) => shown(await sendTest(context, org)),
});

/** Time limit for a worker, which looks for test messages once a second and posts within 5 seconds. */
const waitMs = 20_000;
const lookEveryMs = 250;

/** Asks for a test message and waits until a worker has sent it. Throws CliError if none did. */
async function sendTest({ database, actorIn }: CommandContext, orgId: string): Promise<NotifyChannel> {
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

const remove = command({
  name: 'remove',
  summary: 'Remove the channel of an organization; its team is no longer notified',
  options: { org },
  examples: ['notify remove --org ORG_ID'],
  run: async (context, { org }) => shown(await removeNotifyChannel(context, context.actorIn(org))),
});

const reencrypt = command({
  name: 'reencrypt',
  summary: 'Encrypt all channels with the first key of NOTIFY_KEYS, so that the other keys can be removed',
  options: { org: anyOrganization },
  examples: ['notify reencrypt'],
  columns: ['org_id', 'kind'],
  run: async (context, { org }) => {
    const keys = requireKeys('NOTIFY_KEYS', context.databaseUrl);
    const list = () => listOrganizationsToReencryptChannels(context.database, keys);
    return eachOrganization(context, org, list, async (orgId) => {
      const kinds = await reencryptNotifyChannel(context, context.actorIn(orgId), keys);
      return kinds.map((kind) => ({ org_id: orgId, kind }));
    });
  },
});

export const notify: CommandGroup = {
  name: 'notify',
  summary: 'Messages to the team about failed runs, missing inputs and refused requests',
  commands: [show, set, test, remove, reencrypt],
};
