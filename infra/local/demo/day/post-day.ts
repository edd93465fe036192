import { type Database, statement } from '@relata/db';
import { markDemoPosts } from '@relata/demo';
import { findSignatureKind, signPost } from '@relata/signatures';
import { openDemoDatabase } from '../demo-database.ts';
import type { KeptOrganization } from '../demo-file.ts';
import { triggerUrl } from '../triggers.ts';
import { type DayPost, dayPosts, dayVisitor } from './posts.ts';

/** User agent of the day's deliveries. People recognize the deliveries by it, and `relata demo clear` finds them. */
const userAgent = 'relata-demo';
const concurrentPosts = 8;
const responseTimeoutMs = 10_000;
const settledWithinMs = 3_000;
const lookEveryMs = 25;

export interface PostDayOptions {
  databaseUrl: string;
  baseUrl: string;
  organization: KeptOrganization;
  /** True if messages to the team reach real people. In that case, no demo is requested. */
  hasChannel: boolean;
}

/**
 * Posts the demo's day, which is a set of webhooks and a demo request, to the running service. Then waits up to 3
 * seconds for its runs. Posting the day again adds nothing.
 */
export async function postDay({ databaseUrl, baseUrl, organization, hasChannel }: PostDayOptions): Promise<void> {
  await using database = openDemoDatabase(databaseUrl);
  const { id: orgId } = organization;
  try {
    for (let start = 0; start < dayPosts.length; start += concurrentPosts)
      await Promise.all(
        dayPosts.slice(start, start + concurrentPosts).map((each) => post(each, baseUrl, organization)),
      );
    if (!hasChannel && !(await hasAsked(database, orgId))) await ask(baseUrl, organization.keys.chat!);
  } finally {
    await markDemoPosts(database, orgId, { userAgent, visitors: [dayVisitor.work_email] });
  }
  await settled(database, orgId);
}

async function post({ to, body, headers }: DayPost, baseUrl: string, organization: KeptOrganization): Promise<void> {
  const text = JSON.stringify(body);
  const { url, credentials } = senderOf(to, organization, baseUrl)(Buffer.from(text));
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': userAgent, ...headers, ...credentials },
    body: text,
    signal: AbortSignal.timeout(responseTimeoutMs),
  });
  if (response.status !== 202) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
}

/** Returns a function that returns the URL of a sender's trigger and the credentials for a body. */
function senderOf(to: DayPost['to'], { triggers = [], day }: KeptOrganization, baseUrl: string) {
  if (to === 'github' || to === 'shopify') {
    const { id, secret } = day!.senders[to];
    const url = triggerUrl(baseUrl, id);
    return (body: Buffer) => ({
      url,
      credentials: signPost(findSignatureKind({ kind: to }), { secret, body, url, id: '', nowMs: Date.now() }).headers,
    });
  }
  const { url, secret } = triggers[to === 'website' ? 0 : 1]!;
  return () => ({ url, credentials: { 'x-webhook-secret': secret! } });
}

const findAsked = statement<{ id: string }>(
  'demo.find_asked',
  'SELECT id FROM demo_requests WHERE org_id = $1 AND work_email = $2 LIMIT 1',
);

async function hasAsked(database: Database, orgId: string): Promise<boolean> {
  return (await database.query(findAsked, [orgId, dayVisitor.work_email])).length > 0;
}

/** Requests a demo, like the chat of the site. If the channel accepts nothing, the request is stored but not sent. */
async function ask(baseUrl: string, key: string): Promise<void> {
  const response = await fetch(`${baseUrl}/v1/genie/demo-request`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': userAgent, 'x-api-key': key },
    body: JSON.stringify(dayVisitor),
    signal: AbortSignal.timeout(responseTimeoutMs),
  });
  await response.body?.cancel();
}

const countRunning = statement<{ n: number }>(
  'demo.count_running',
  `SELECT count(*)::integer AS n FROM workflow_runs WHERE org_id = $1 AND status IN ('queued', 'running')`,
);

/** Waits a short time for active runs, so that the data usually no longer changes when the stack is ready. */
async function settled(database: Database, orgId: string): Promise<void> {
  for (const end = Date.now() + settledWithinMs; Date.now() < end;) {
    const [row] = await database.query(countRunning, [orgId]);
    if (row!.n === 0) return;
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
}
