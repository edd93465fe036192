import { epochOf, git, hasDocker, run } from './commands.ts';

export const noDocker = 'no Docker engine responds';

/** Builds the image with its labels, and with the commit's time in its files. Without Docker it prints the command. */
export function buildImage(version: string, say: (line: string) => void): void {
  const command = buildCommand(version);
  const printed = `On a machine with one, at this tag:\n  docker ${command.join(' ')}`;
  if (!hasDocker()) return say(`The image was not built: ${noDocker}. ${printed}`);
  try {
    run('docker', command);
  } catch (error) {
    const again = `The commit and the tag are made. Build the image again with:\n  docker ${command.join(' ')}`;
    throw new Error(`${(error as Error).message}\n${again}`, { cause: error });
  }
}

function buildCommand(version: string): string[] {
  const labels = {
    VERSION: version,
    REVISION: git('rev-parse', 'HEAD'),
    CREATED: git('log', '-1', '--format=%cI'),
    SOURCE_DATE_EPOCH: epochOf('HEAD'),
    ...(process.env['NODE_IMAGE'] && { NODE_IMAGE: process.env['NODE_IMAGE'] }),
  };
  return [
    'buildx',
    'build',
    '--file=infra/images/Dockerfile',
    `--tag=relata:${version}`,
    ...Object.entries(labels).map(([name, value]) => `--build-arg=${name}=${value}`),
    '--output=type=docker,rewrite-timestamp=true',
    '.',
  ];
}
