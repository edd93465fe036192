import { runSuiteProgram, say } from '@relata/testbed/suite-program';
import { checkComposedStack } from './composed-stack.ts';
import { checkConfinedApps, checkImage, checkSbom } from './confined-apps.ts';
import { docker, hasEngine } from './docker.ts';

const usage = `Usage: npm run images -- [options]

Builds the image and runs it: every app confined and with all settings empty, then the stack of infra/compose until a
webhook has become a contact. Needs a Docker engine; without one it says so and ends with 0. It takes some minutes.

  --image NAME    an image that is there already, instead of one that is built
`;

const built = 'relata:check';

await runSuiteProgram({
  usage,
  options: { image: { type: 'string' } },
  async run({ image = built }) {
    if (!hasEngine()) return say('No Docker engine answers: the image was not checked.');
    if (image === built) {
      say('the image is built');
      docker(['build', '--file', 'infra/images/Dockerfile', '--tag', built, '.']);
    }
    say('what the image says of itself');
    checkImage(image);
    checkSbom(image);
    say('every app, confined and with all settings empty');
    checkConfinedApps(image);
    say('the stack of Compose, from a webhook to a contact');
    await checkComposedStack(image);
    say('The image holds.');
  },
});
