import { randomBytes } from 'node:crypto';
import { operatorActor } from '@relata/events';
import { setNotifyChannel } from '@relata/notify';
import { notifySettings } from '@relata/secrets';
import { teamChannel, type TeamChannel, type ChannelResponse } from '@relata/testing';
import { startWorkflows, type Workflows } from './workflow-worker.harness.ts';

export const notifyKeys = randomBytes(32).toString('base64');
const keys = notifySettings.NOTIFY_KEYS.parse(notifyKeys)!;

/** Returns a workflow whose only step fails permanently. */
export const failing = (name = 'welcome') => ({
  name,
  steps: [{ id: 'greet', use: 'http.request', with: { method: 'GET', url: 'http://10.1.1.1/' } }],
});

/** Sets the channel of an organization, as an operator does. */
export function setChannel({ database }: Pick<Workflows, 'database'>, orgId: string, { url }: { url: string }) {
  return setNotifyChannel({ database }, operatorActor(orgId, 'test'), { url, kind: 'slack' }, keys);
}

/** Starts workflows for an organization whose team channel sends these responses. */
export async function startNotified(...responses: ChannelResponse[]) {
  const channel = await teamChannel(...responses);
  const workflows = await startWorkflows();
  await setChannel(workflows, workflows.orgId, channel);
  return { workflows, channel };
}

/** Returns the texts of the posts that a channel has received. */
export const textsOf = ({ bodies }: TeamChannel) => bodies.map((body) => (JSON.parse(body) as { text: string }).text);
