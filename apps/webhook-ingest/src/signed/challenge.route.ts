import { getExchange, sendText } from '@relata/http';
import type { Request, RequestHandler } from 'express';
import type { ReceiveContext } from '../receive.route.ts';
import { Refusal } from '../refusal.ts';
import { Post } from '../refusals/post.ts';
import { refusePost } from '../refusals/refuse-post.ts';
import { isVerifyToken, type TriggerSnapshot } from '../triggers/trigger-snapshot.ts';

type RefusingContext = Pick<ReceiveContext, 'triggers' | 'refuse' | 'refusals' | 'ipOf'>;

/** Pattern of a challenge: visible ASCII characters, which the response repeats unchanged. */
const challengeForm = /^[\x21-\x7e]{1,1000}$/;

/**
 * Returns the handler for a GET or HEAD with which a vendor checks the URL. A GET of Meta is answered with its
 * challenge if it has the verify token, otherwise with 403 and no text. A HEAD of Intercom is answered with 200 and no
 * body. For other kinds of senders, such a request is refused with 405.
 * https://developers.facebook.com/docs/graph-api/webhooks/getting-started#verification-requests
 */
export function challengeRoute(context: RefusingContext): RequestHandler {
  return async (request, response) => {
    const exchange = getExchange(response);
    exchange.operation = 'verifyTrigger';
    exchange.vary = 'X-Webhook-Secret';
    const post = new Post(request, exchange);
    try {
      const trigger = await context.triggers.find(request.params['triggerId']);
      post.trigger = trigger;
      if (!isChallenged(trigger, request)) throw new Refusal('method_not_allowed');
      sendText(exchange, 200, request.method === 'HEAD' ? '' : readChallenge(trigger, request.url));
    } catch (error) {
      // Without the database, the sender is unknown. Only a URL check of Meta gets 503, so that it is repeated.
      const isError = post.trigger !== undefined || isMetaCheck(request);
      refusePost(post, isError ? error : new Refusal('method_not_allowed'), context);
    }
  };
}

function isMetaCheck({ method, url }: Request): boolean {
  return method === 'GET' && queryOf(url).has('hub.mode');
}

function queryOf(url: string): URLSearchParams {
  return new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');
}

/** Returns true if the sender of the trigger checks URLs with the method of this request. */
function isChallenged(trigger: TriggerSnapshot | undefined, { method }: Request): trigger is TriggerSnapshot {
  return trigger?.sender?.kind.challenge?.by === method.toLowerCase();
}

/**
 * Returns the handler for methods that no sender uses. The response is 405 for any id. The refusal is recorded only for
 * a known trigger.
 */
export function refusedMethodRoute(context: RefusingContext): RequestHandler {
  return async (request, response) => {
    const post = new Post(request, getExchange(response));
    try {
      post.trigger = await context.triggers.find(request.params['triggerId']);
    } catch {
      // Without the database, the trigger is unknown, so the refusal cannot be recorded.
    }
    refusePost(post, new Refusal('method_not_allowed'), context);
  };
}

/**
 * Returns the challenge of a request with the trigger's verify token. Throws Refusal if the token is wrong or the
 * request is malformed.
 */
function readChallenge(trigger: TriggerSnapshot, url: string): string {
  const query = queryOf(url);
  const [mode, token, challenge] = ['mode', 'verify_token', 'challenge'].map((name) => oneOf(query, `hub.${name}`));
  if (mode === 'subscribe' && isVerifyToken(trigger, token) && challengeForm.test(challenge ?? '')) return challenge!;
  const message = "The URL check has no valid verify token or is malformed. Enter the trigger's verify token at Meta.";
  throw new Refusal('forbidden', { seen: { reason: 'wrong_verify_token', message } });
}

/** Returns the value of a query parameter; undefined if it does not occur exactly once. */
function oneOf(query: URLSearchParams, name: string): string | undefined {
  const values = query.getAll(name);
  return values.length === 1 ? values[0] : undefined;
}
