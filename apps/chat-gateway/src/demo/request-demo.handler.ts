import { toActor } from '@relata/auth';
import type { Channel } from '@relata/channel';
import type { Database } from '@relata/db';
import { forwardDemoRequest, storeDemoRequest } from '@relata/demo-requests';
import type { HandlerContext } from '@relata/http';
import { Shares } from '@relata/runtime';
import type { DemoRequest } from '@relata/schemas/chat';
import { AppError } from '@relata/schemas/errors';
import { atCapacity } from '../chat/open-streams.ts';
import type { ChatMetrics } from '../chat/chat.metrics.ts';

export interface DemoContext {
  database: Database;
  /** Undefined if no channel is configured: requests are then stored, but not forwarded. */
  channel: Channel | undefined;
  /** Time limit for the channel, including all attempts; 5 s by default. */
  deadlineMs?: number | undefined;
  metrics: ChatMetrics;
}

/**
 * Maximum number of requests forwarded at the same time; one organization gets at most half of them. If the channel
 * does not respond, each request takes 5 s.
 */
const forwardsMax = 200;

export function requestDemoHandler({ database, channel, deadlineMs = 5_000, metrics }: DemoContext) {
  const shares = new Shares(forwardsMax);
  return async ({ body }: { body: DemoRequest }, { caller, exchange, log }: HandlerContext): Promise<{ ok: true }> => {
    const { orgId } = caller;
    if (!shares.take([orgId])) throw atCapacity();
    // Holds the slot even after the visitor has left, since the request to the channel is still in flight.
    using stack = new DisposableStack();
    stack.defer(() => shares.giveBack([orgId]));
    const db = database.of(orgId);
    const request = await storeDemoRequest(db, toActor(caller, exchange.requestId), body);
    const onError = (err: unknown) =>
      log.warn(
        { err, ...exchange.logIds, demo_request_id: request.id },
        'recording the outcome of a demo request failed',
      );
    const outcome = await forwardDemoRequest({ db, channel, request, deadlineMs, onError });
    metrics.demoRequests.inc({ outcome: outcome.ok ? 'sent' : 'unsent' });
    if (outcome.ok) return { ok: true };
    const told = { ...exchange.logIds, org_id: orgId, demo_request_id: request.id, code: outcome.code };
    log.warn(told, 'a demo request was not forwarded');
    throw new AppError('upstream_error', 'Your request is stored, but the team could not be notified yet.');
  };
}
