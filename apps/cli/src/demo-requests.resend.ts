import type { Db } from '@relata/db';
import { findDemoRequest, listAllDemoRequests, listDemoRequests } from '@relata/demo-requests';
import { uuid } from '@relata/schemas';
import { CliError } from './cli.error.ts';
import { command, type CommandContext } from './command.ts';
import { requireDemoRequest } from './demo-request.reference.ts';
import { DemoRequestSender, type Resent } from './demo-request.sender.ts';
import { errorText, resentText, resentTotalText } from './demo-requests.view.ts';
import { ofOrganization, requireOrganization } from './organization.option.ts';
import { flag, value } from './parameter.ts';
import { requireChannel } from './team-channel.ts';

const bulkMax = 10_000;
const pageRows = 500;

export const resend = command({
  name: 'resend',
  summary: "Send demo requests to the team's channel that it may not have",
  arguments: { request: value('REQUEST', uuid().optional(), 'Id of the demo request') },
  options: {
    unsent: flag('All that the team may not know of, in place of an id: of the newest 10,000 the oldest first'),
    org: ofOrganization,
    again: flag('Send it although it was sent already'),
  },
  examples: ['demo-requests resend REQUEST_ID', 'demo-requests resend --unsent'],
  check: ({ request, unsent, again }) => {
    if ((request === undefined) !== unsent) return 'Name a demo request by its id, or all of them by --unsent.';
    return unsent && again ? '--again: Goes with an id only.' : undefined;
  },
  run: async (context, { request, org, again }): Promise<Resent | Resent[]> => {
    const sender = new DemoRequestSender(context.database, requireChannel(context.databaseUrl));
    return request === undefined
      ? sendUnsent(context, sender, org)
      : sendNamed(context, sender, request, { org, again });
  },
  view: (resent) => (Array.isArray(resent) ? resentTotalText(resent) : resentText(resent)),
  fault: (resent) => faultOf([resent].flat()),
});

async function sendNamed(
  { database }: CommandContext,
  sender: DemoRequestSender,
  id: string,
  { org, again }: { org: string | undefined; again: boolean },
): Promise<Resent> {
  const request = await requireDemoRequest(database, id);
  if ((org ?? request.org_id) !== request.org_id)
    throw new CliError('not_found', `The demo request ${id} is of another organization.`);
  if (request.status === 'sent' && !again)
    throw new CliError('conflict', `The demo request ${id} was sent at ${request.sent_at}; --again sends it again.`);
  return sender.send(request, { mayRepeat: again });
}

async function sendUnsent({ database, say }: CommandContext, sender: DemoRequestSender, orgId: string | undefined) {
  if (orgId !== undefined) await requireOrganization(database, orgId);
  const resent: Resent[] = [];
  for (const { org_id, id } of await listUnsent(database, orgId)) {
    const request = await findDemoRequest(database, org_id, id);
    // Somebody else has sent it meanwhile.
    if (!request || request.status === 'sent') continue;
    const one = await sender.send(request);
    say(resentText(one));
    resent.push(one);
  }
  return resent;
}

/** All that there are now, the oldest first: those that fail again must not be met again. */
async function listUnsent(db: Db, orgId: string | undefined): Promise<{ org_id: string; id: string }[]> {
  const found: { org_id: string; id: string }[] = [];
  for (let before: string | undefined; ;) {
    const filter = { unsent: true, limit: pageRows, before };
    const page = await (orgId === undefined ? listAllDemoRequests(db, filter) : listDemoRequests(db, orgId, filter));
    found.push(...page.map(({ org_id, id }) => ({ org_id, id })));
    before = page.at(-1)?.id;
    if (page.length < pageRows || found.length >= bulkMax) return found.toReversed();
  }
}

function faultOf(resent: readonly Resent[]): CliError | undefined {
  const failed = resent.filter(({ is_sent: isSent }) => !isSent);
  const [first] = failed;
  if (!first) return undefined;
  const which =
    resent.length === 1 ? `The demo request ${first.id}` : `${failed.length} of ${resent.length} demo requests`;
  return new CliError('not_sent', `${which} could not be sent. ${errorText(first.error!)}`);
}
