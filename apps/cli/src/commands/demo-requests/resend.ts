import { type Channel, channelSettings, configuredChannel, createChannel } from '@relata/channel';
import {
  type DemoRequest,
  findDemoRequest,
  findDemoRequestOrganization,
  type Resent,
  resendDemoRequest,
  resendUnsent,
} from '@relata/demo-requests';
import { readSettings } from '@relata/runtime';
import { CliError } from '../../output/cli.error.ts';
import { command, type CommandContext } from '../../command/command.ts';
import { errorText, resentText, resentTotalText } from './demo-requests.view.ts';
import { hinted } from '../../output/operation.error.ts';
import { ofOrganization } from '../orgs/organization-option.ts';
import { flag, optionalReference } from '../../command/parameter.ts';
import { printWarning } from '../../output/print-result.ts';
import { findStackOn } from '../../command/stack-file.ts';

export const demoRequestReference = {
  noun: 'demo request',
  list: 'demo-requests list',
  findOrganization: findDemoRequestOrganization,
  find: findDemoRequest,
};

export const resend = command({
  name: 'resend',
  summary: "Send demo requests to the team's channel",
  arguments: { request: optionalReference('REQUEST', 'Id of the demo request', demoRequestReference) },
  options: {
    unsent: flag('All requests that are not known to be sent, oldest first; at most the newest 10,000'),
    org: ofOrganization,
    again: flag('Send it even if it was sent already'),
  },
  examples: ['demo-requests resend REQUEST_ID', 'demo-requests resend --unsent'],
  check: ({ request, unsent, again }) => {
    if ((request === undefined) !== unsent) return 'Give the id of a demo request, or --unsent.';
    return unsent && again ? '--again: Requires an id.' : undefined;
  },
  run: (context, { request, org, again }): Promise<Resent | Resent[]> =>
    request === undefined ? sendUnsent(context, org) : sendNamed(context, request, again),
  view: (resent) => (Array.isArray(resent) ? resentTotalText(resent) : resentText(resent)),
  fault: (resent) => faultOf([resent].flat()),
});

const resendContext = ({ database, databaseUrl }: CommandContext) => ({
  database,
  channel: requireChannel(databaseUrl),
  onUnrecorded: ({ id }: { id: string }) =>
    printWarning(`The outcome of the demo request ${id} could not be recorded.`),
});

function sendNamed(context: CommandContext, { org_id: orgId, id }: DemoRequest, again: boolean): Promise<Resent> {
  const resending = resendDemoRequest(resendContext(context), context.actorIn(orgId), { id, again });
  return hinted(resending, { conflict: 'Use --again to send it again.' });
}

async function sendUnsent(context: CommandContext, orgId: string | undefined): Promise<Resent[]> {
  const resent: Resent[] = [];
  for await (const one of resendUnsent(resendContext(context), context.operator, orgId)) {
    context.say(resentText(one));
    resent.push(one);
  }
  return resent;
}

function faultOf(resent: readonly Resent[]): CliError | undefined {
  const failed = resent.filter(({ is_sent: isSent }) => !isSent);
  const [first] = failed;
  if (!first) return undefined;
  const which =
    resent.length === 1 ? `The demo request ${first.id}` : `${failed.length} of ${resent.length} demo requests`;
  return new CliError('not_sent', `${which} could not be sent. ${errorText(first.error!)}`);
}

/**
 * Returns the team's channel: from the environment, otherwise that of the running local stack if it uses this database.
 */
function requireChannel(databaseUrl: string): Channel {
  const channel = configuredChannel(readSettings(channelSettings)) ?? findStackOn(databaseUrl)?.channel;
  if (!channel)
    throw new CliError(
      'configuration_error',
      'No team channel is configured: set TEAM_CHANNEL_WEBHOOK_URL, and TEAM_CHANNEL_KIND if its host belongs to no ' +
        'known chat service.',
    );
  return createChannel(channel);
}
