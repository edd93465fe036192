import type { ComposedService } from './composed-service.ts';
import { docker, type Stack } from './docker.ts';

/**
 * Upgrades from one image to another as documented, one app after the other, and then rolls back to the first image.
 * Throws if a delivery does not become a contact, or if the rollback loses a contact.
 */
export async function checkUpgradeAndBack(
  stack: Stack,
  service: ComposedService,
  { from, to }: { from: string; to: string },
): Promise<void> {
  for (const [image, email] of [
    [to, 'upgraded@robotics.example'],
    [from, 'back@robotics.example'],
  ] as const) {
    stack.set('RELATA_IMAGE', image);
    // The rollback needs no migration, and an older image would refuse to run one.
    if (image === to) {
      stack.compose(['run', '--rm', '--no-TTY', 'migrate']);
      for (const app of apps) replaceOneByOne(stack, app);
    }
    stack.up();
    const running = imagesOf(stack);
    if (running.some((other) => other !== image))
      throw new Error(`All apps should run ${image}, but these images run: ${running.join(', ')}`);
    await service.becomesContact(email);
  }
  if (!(await service.hasContact('upgraded@robotics.example')))
    throw new Error('A contact that the newer image created is lost.');
}

/** Starts new processes of an app while the old ones still run, then ends the old ones. */
function replaceOneByOne(stack: Stack, app: string): void {
  const processes = () => stack.compose(['ps', '--quiet', app]).trim().split('\n');
  const old = processes();
  stack.up('--no-deps', '--no-recreate', '--scale', `${app}=${old.length * 2}`, app);
  stack.up('--no-deps', app);
  const left = processes();
  if (left.length !== old.length || left.some((id) => old.includes(id)))
    throw new Error(
      `The upgrade did not replace all processes of ${app}. Before: ${old.join(', ')}; now: ${left.join(', ')}.`,
    );
}

/** Builds an image with the same content as a stand-in for the next release. Returns its name. */
export function nextImage(image: string): string {
  const next = `${image}-next`;
  docker(['build', '--quiet', '--tag', next, '-'], { input: `FROM ${image}\nLABEL relata.check=next\n` });
  return next;
}

const apps = ['records-api', 'chat-gateway', 'console', 'webhook-ingest', 'workflow-worker'];

function imagesOf(stack: Stack): string[] {
  const lines = stack.compose(['ps', '--format', '{{.Image}}', ...apps]).trim();
  return lines.split('\n');
}
