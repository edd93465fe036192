import { createOrganization } from '@relata/auth';
import { Browser, joinAs } from './console-client.harness.ts';
import { startTestConsole, type TestConsole } from './console.harness.ts';
import { Examples } from './examples.harness.ts';

/** A console with one organization, and the browser of a viewer, who cannot change anything. */
export interface ViewedConsole extends AsyncDisposable {
  served: TestConsole;
  acme: Examples;
  viewer: Browser;
}

export async function startViewedConsole(): Promise<ViewedConsole> {
  await using stack = new AsyncDisposableStack();
  const served = stack.use(await startTestConsole());
  const acme = new Examples(served.db, (await createOrganization(served.db.database, 'Acme')).id);
  const viewer = new Browser(served.url, await joinAs(served.db, acme.orgId, 'viewer', 'vera@acme.example'));
  const started = stack.move();
  return { served, acme, viewer, [Symbol.asyncDispose]: () => started.disposeAsync() };
}
