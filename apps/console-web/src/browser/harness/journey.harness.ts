import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { until } from '@relata/testing';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { openReceiver } from '../../../../webhook-ingest/src/webhook-ingest.harness.ts';
import { startOutside } from '../../../../workflow-worker/src/outside.harness.ts';
import { openWorker } from '../../../../workflow-worker/src/workflow-worker.harness.ts';
import { startWebConsole, type WebConsole } from './console.harness.ts';

/** The console with a webhook receiver, a workflow worker, and an external system to which the workflow posts. */
export interface FullStack extends WebConsole {
  readonly partner: Partner;
}

export async function startFullStack(): Promise<FullStack> {
  const stack = new AsyncDisposableStack();
  const webConsole = stack.use(await startWebConsole());
  const receiver = stack.use(await openReceiver(webConsole.console.db.url));
  stack.use(await openWorker(webConsole.console.db.url));
  const partner = stack.use(await openPartner());
  const { url } = stack.use(await webConsole.console.startReplica({ publicUrl: receiver.url }));
  const link = async () => (await webConsole.link()).replace(webConsole.url, url);
  return { ...webConsole, url, link, partner, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** An external system that accepts or refuses what is posted to it. */
type Partner = Awaited<ReturnType<typeof openPartner>>;

async function openPartner() {
  const state = { taken: [] as string[], isBroken: false };
  const outside = await startOutside((response, { body }) => {
    if (!state.isBroken) state.taken.push(body);
    response.writeHead(state.isBroken ? 422 : 200, { 'Content-Type': 'application/json' }).end('{}');
  });
  return Object.assign(state, { ...outside, url: `${outside.url}leads` });
}

/** Returns a workflow whose second step posts to the partner. */
export const webLead = (partner: Partner) => ({
  name: 'web-lead',
  inputs: { email: { type: 'string', format: 'email', required: true }, name: { type: 'string' } },
  steps: [
    { id: 'log', use: 'activity.create', with: { content: 'From ${{ inputs.email }}' } },
    {
      id: 'notify',
      use: 'http.request',
      with: { method: 'POST', url: partner.url, json: { email: '${{ inputs.email }}' } },
    },
  ],
});

/** Runs a `curl` command that the console shows, and expects that the receiver accepts the post. */
export async function typeIntoShell(command: string): Promise<void> {
  const { stdout } = await promisify(execFile)('bash', ['-c', command]);
  expect(JSON.parse(stdout)).toEqual({ received: true });
}

/** Expects exactly these entries in the audit log for the person of the printed link, newest first. */
export async function expectAudit(page: Page, wanted: readonly string[]): Promise<void> {
  const rows = page.getByRole('table', { name: 'Audit events' }).locator('tbody').getByRole('row');
  const mine = rows.filter({ hasText: 'Local Admin' });
  await until(async () => expect(await mine.count()).toBe(wanted.length));
  const lines = await mine.allTextContents();
  expect(lines.map((line, at) => line.includes(wanted[at]!))).toEqual(wanted.map(() => true));
  expect(lines[0]).toContain('failed');
}
