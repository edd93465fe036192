import { channelKinds } from '@relata/channel';
import {
  findNotifyChannel,
  listOrganizationsToReencryptChannels,
  type NotifyChannel,
  reencryptNotifyChannel,
  removeNotifyChannel,
  setNotifyChannel,
} from '@relata/notify';
import { orNotFound } from '@relata/schemas/errors';
import { z } from 'zod';
import { command, type CommandGroup } from '../../command/command.ts';
import { value } from '../../command/parameter.ts';
import { eachOrganization } from '../orgs/each-organization.ts';
import { anyOrganization, org } from '../orgs/organization-option.ts';
import { requireNotifyKeys } from '../secrets/secret-keys.ts';
import { readSecretValue } from '../secrets/secret-value.ts';
import { sendTest } from './send-test.ts';

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
    const keys = requireNotifyKeys(context.databaseUrl);
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
    const keys = requireNotifyKeys(context.databaseUrl);
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
