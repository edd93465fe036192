import type { Channel } from '@relata/channel';
import type { Db } from '@relata/db';
import { type Actor, organizationActor, type Operator } from '@relata/events';
import { AppError, orNotFound } from '@relata/schemas/errors';
import { type DemoRequest, findDemoRequest, listAllDemoRequests, listDemoRequests } from './demo-request.sql.ts';
import { type Forwarded, forwardDemoRequest } from './forward-demo-request.ts';

export type Resent = Pick<DemoRequest, 'id' | 'org_id' | 'name' | 'work_email' | 'status' | 'attempts'> & {
  is_sent: boolean;
  error: { code: string; message: string } | null;
};

export interface ResendContext {
  database: Db;
  channel: Channel;
  /** Called with a request whose outcome could not be recorded. */
  onUnrecorded: (request: DemoRequest, error: unknown) => void;
}

/** Deadline of a resend. It is longer than a visitor would wait, so that the channel can ask for a delay. */
const deadlineMs = 15_000;

/** Number of consecutive failures after which nothing more is sent. */
const failuresInRowMax = 10;

/** Maximum number of requests in one bulk resend, which takes the newest requests. */
const bulkMax = 10_000;
const pageRows = 500;

/**
 * Sends a request to the team's channel. Throws `not_found`. Throws `conflict` if the request was already sent and
 * `again` is not set. A failure of the channel is part of the result.
 */
export async function resendDemoRequest(
  context: ResendContext,
  { orgId }: Actor,
  { id, again = false }: { id: string; again?: boolean },
): Promise<Resent> {
  const request = orNotFound(await findDemoRequest(context.database, orgId, id), `There is no demo request ${id}.`);
  if (request.status === 'sent' && !again)
    throw new AppError('conflict', `The demo request ${id} was sent at ${request.sent_at}.`);
  return send(context, request, again);
}

/**
 * Sends all requests that are not known to have arrived, of one organization or of all. They are sent one after
 * another, the oldest first. After ten consecutive failures no more are sent.
 */
export async function* resendUnsent(
  context: ResendContext,
  operator: Operator,
  orgId: string | undefined,
): AsyncGenerator<Resent> {
  let failuresInRow = 0;
  for (const { org_id, id } of await listUnsent(context.database, orgId)) {
    const actor = organizationActor(operator, org_id);
    const request = await findDemoRequest(context.database, actor.orgId, id);
    // Another process has sent or deleted it meanwhile.
    if (!request || request.status === 'sent') continue;
    const outcome = failuresInRow < failuresInRowMax ? await send(context, request, false) : resent(request, notTried);
    if (outcome.is_sent) failuresInRow = 0;
    else if (outcome.error?.code !== 'busy') failuresInRow++;
    yield outcome;
  }
}

async function listUnsent(db: Db, orgId: string | undefined): Promise<{ org_id: string; id: string }[]> {
  const found: { org_id: string; id: string }[] = [];
  for (let before: string | undefined; ;) {
    const filter = { unsent: true, limit: pageRows, before };
    const page = await (orgId ? listDemoRequests(db, orgId, filter) : listAllDemoRequests(db, filter));
    found.push(...page.map(({ org_id, id }) => ({ org_id, id })));
    before = page.at(-1)?.id;
    if (page.length < pageRows || found.length >= bulkMax) return found.toReversed();
  }
}

async function send(context: ResendContext, request: DemoRequest, mayRepeat: boolean): Promise<Resent> {
  const outcome = await outcomeOf(context, request, mayRepeat);
  const known = (await findDemoRequest(context.database, request.org_id, request.id)) ?? request;
  return resent(known, outcome.ok ? null : { code: outcome.code, message: outcome.message });
}

async function outcomeOf(
  { database, channel, onUnrecorded }: ResendContext,
  request: DemoRequest,
  mayRepeat: boolean,
): Promise<Forwarded> {
  if (request.status === 'sending')
    return { ok: false, code: 'busy', message: 'The request is being sent. Try again in half a minute.' };
  const onError = (error: unknown) => onUnrecorded(request, error);
  return forwardDemoRequest({ db: database, channel, request, deadlineMs, mayRepeat, onError });
}

const notTried = { code: 'not_tried', message: `Not tried: the last ${failuresInRowMax} requests failed.` };

function resent({ id, org_id, name, work_email, status, attempts }: DemoRequest, error: Resent['error']): Resent {
  return { id, org_id, name, work_email, status, attempts, is_sent: error === null, error };
}
