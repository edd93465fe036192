import type { Channel } from '@relata/channel';
import type { Database } from '@relata/db';
import { forwardDemoRequest, storeDemoRequest } from '@relata/demo-requests';
import type { HandlerContext } from '@relata/http';
import { AppError, type DemoRequest } from '@relata/schemas';
import { SharedSlots } from '../admission/shared-slots.ts';
import type { ChatMetrics } from '../chat/chat.metrics.ts';

export interface DemoContext {
  database: Database;
  /** Undefined where no channel is configured: then requests are kept, and not forwarded. */
  channel: Channel | undefined;
  metrics: ChatMetrics;
}

/** Requests that are being passed on at once: while the channel is silent, each takes five seconds. */
const forwardsMax = 200;

/** Keeps a demo request, and then passes it on to the team's channel. */
export function requestDemoHandler({ database, channel, metrics }: DemoContext) {
  const slots = new SharedSlots(forwardsMax);
  return async ({ body }: { body: DemoRequest }, { caller, log }: HandlerContext): Promise<{ ok: true }> => {
    // Also of a visitor who has left, for whom the channel is waited for all the same.
    using _slot = slots.acquire(caller.orgId);
    const db = database.of(caller.orgId);
    const request = await storeDemoRequest(db, caller.orgId, body);
    const onError = (err: unknown) =>
      log.warn({ err, demo_request_id: request.id }, 'what became of a demo request could not be noted');
    const outcome = await forwardDemoRequest({ db, channel, request, onError });
    metrics.demoRequests.inc({ outcome: outcome.ok ? 'sent' : 'unsent' });
    if (outcome.ok) return { ok: true };
    log.warn(
      { org_id: caller.orgId, demo_request_id: request.id, code: outcome.code },
      'a demo request was not forwarded',
    );
    throw new AppError('upstream_error', 'Your request is kept, but the team could not be told of it yet.');
  };
}
