import { runSuiteProgram, say } from '@relata/testbed/suite-program';
import { checkBackups } from './backups.ts';
import { createService, environment } from './composed-service.ts';
import { checkConfinedApps, checkImage, checkSbom } from './confined-apps.ts';
import { docker, hasEngine, Stack } from './docker.ts';
import { checkMonitoring } from './monitoring.ts';
import { checkReplicas } from './replicas.ts';
import { checkUpgradeAndBack, nextImage } from './upgrade.ts';

const usage = `Usage: npm run images -- [options]

Builds the image and runs it: first every app confined and with all settings empty, then the stack of infra/compose. A
webhook becomes a contact, a backup is restored into a new database that takes over, the stack changes to another image
and back, and Prometheus evaluates the expressions of the dashboards. Needs a Docker engine; without one it says so
and exits with 0. It takes about ten minutes.

  --image NAME     an existing image to check; no image is built
  --network NAME   network of the build; use host if the default network has no internet access
`;

const built = 'relata:check';

await runSuiteProgram({
  usage,
  options: { image: { type: 'string' }, network: { type: 'string' } },
  async run({ image = built, network }) {
    if (!hasEngine()) return say('No Docker engine answers: the image was not checked.');
    if (image === built) {
      say('building the image');
      build(network);
    }
    say('labels and libraries of the image');
    checkImage(image);
    checkSbom(image);
    say('every app, confined and with all settings empty');
    checkConfinedApps(image);
    await checkStack(image);
    say('All checks of the image passed.');
  },
});

/** Builds the image from the base images in the environment, as Compose does. */
function build(network: string | undefined): void {
  const bases = ['NODE_IMAGE', 'POSTGRES_IMAGE'].filter((name) => process.env[name]);
  const options = [...bases.flatMap((name) => ['--build-arg', name]), ...(network ? ['--network', network] : [])];
  docker(['build', '--file', 'infra/images/Dockerfile', '--tag', built, ...options, '.']);
}

/** Runs the checks of the Compose stack. Removes its containers and volumes at the end. */
async function checkStack(image: string): Promise<void> {
  using stack = new Stack(environment(image));
  say('the stack of Compose, from a webhook to a contact');
  stack.up();
  const service = await createService(stack);
  await service.becomesContact('ada@robotics.example');
  await service.checkPages();
  say('two processes of the API, by a setting');
  checkReplicas(stack);
  say('a backup, restored into a new database that takes over');
  await checkBackups(stack, service);
  say('another image, and back');
  await checkUpgradeAndBack(stack, service, { from: image, to: nextImage(image) });
  say('the monitoring');
  await checkMonitoring(stack, service);
}
