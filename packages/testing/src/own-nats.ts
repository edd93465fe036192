import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startNats } from '@relata/embedded';

const binDir = fileURLToPath(new URL('../../../.local/bin', import.meta.url));

/** Starts a NATS server that a test can freeze or close without affecting other tests. */
export async function startOwnNats(stack: AsyncDisposableStack, options: { token?: string; config?: string } = {}) {
  const storeDir = await mkdtemp(join(tmpdir(), 'relata-nats-'));
  stack.defer(() => rm(storeDir, { recursive: true, force: true }));
  const server = await startNats({ storeDir, binDir, ...options });
  const thaw = () => void process.kill(server.pid, 'SIGCONT');
  stack.defer(() => {
    // Resumes the process first, because a frozen process does not handle the signal to stop.
    thaw();
    return server.stop();
  });
  /** Stops all responses from now on, but keeps connections open. */
  const freeze = () => void process.kill(server.pid, 'SIGSTOP');
  return { url: server.url, freeze, thaw };
}
