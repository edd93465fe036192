import { parseArgs } from 'node:util';
import { release } from './release.ts';

const usage = `Usage: npm run release -- VERSION [options]

Makes a release of the branch that is checked out: runs the tests, sets the version, moves the entries under Unreleased of
CHANGELOG.md into it, commits, tags, and builds the image with its labels. Notes and the list of components are written to
.local/release/VERSION. Pushes nothing. After the commit is made, the same command continues an interrupted release.

  --dry-run         checks that everything is in place, and says what would be done
  --tested COMMIT   does not run the tests, because they have passed for this commit (all 40 digits), as in CI
`;

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      'dry-run': { type: 'boolean', default: false },
      tested: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const [version, ...others] = positionals;
  if (values.help) process.stdout.write(usage);
  else if (version === undefined || others.length > 0) throw new Error(`Pass exactly one version.\n\n${usage}`);
  else await release({ version, tested: values.tested, isDry: values['dry-run'], say: (line) => console.log(line) });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
