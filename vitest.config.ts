import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * A test that passes never waits this long; one that fails may take its time. The machine may stand still for seconds,
 * and a test that holds a time against the machine rather than against a claim fails for the wrong reason.
 */
const patience = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 60_000 } } };

/**
 * Files share a process, and with it the modules that are loaded: to load them anew for each file took more than a
 * quarter of the whole run. What a file starts it also stops.
 */
const shared = { isolate: false, ...patience };

/**
 * They begin before the short files of `unit`: a long one that begins last is waited for by workers that have nothing to
 * do. Not before all others, since the checks that run beside the beginning of the tests would disturb what is measured.
 */
const longest = [
  'infra/local/start.test.ts',
  'infra/chaos/chaos.test.ts',
  'infra/backup/commands.test.ts',
  'infra/backup/backup.test.ts',
  'infra/fuzz/fuzz.test.ts',
  'infra/release/release.test.ts',
];

/** It measures times, and so begins when little else is left to run beside it. */
const last = 'infra/neighbours/neighbours.test.ts';

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ project, moduleId }: TestSpecification) => {
      if (project.name === 'service') return -1;
      if (moduleId.endsWith(`/${last}`)) return longest.length + 1;
      const at = longest.findIndex((file) => moduleId.endsWith(`/${file}`));
      return at < 0 ? longest.length : at;
    };
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}

/** `unit` needs nothing but Node; `service` is given PostgreSQL and NATS. */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          ...shared,
          include: [
            'packages/{schemas,runtime,telemetry,channel,expressions,outbound,knowledge,signatures,bundle}/src/**/*.test.ts',
            'infra/**/*.test.ts',
            'bench/**/*.test.ts',
            '*.test.ts',
          ],
          exclude: [
            ...configDefaults.exclude,
            'infra/services-start.test.ts',
            'infra/kubernetes/worker-queue.test.ts',
            'infra/rolling/rolling.test.ts',
            'infra/telemetry/*.test.ts',
            'infra/clients/*.test.ts',
          ],
        },
      },
      {
        test: {
          name: 'service',
          ...shared,
          include: [
            'apps/*/src/**/*.test.{ts,tsx}',
            'examples/*/*.test.ts',
            'infra/services-start.test.ts',
            'infra/kubernetes/worker-queue.test.ts',
            'infra/rolling/rolling.test.ts',
            'infra/telemetry/*.test.ts',
            'infra/clients/*.test.ts',
            'packages/{db,messaging,events,auth,records,secrets,workflows,http,service,testing,embedded,demo,demo-requests,notify,people,diagnosis}/src/**/*.test.ts',
          ],
          globalSetup: ['packages/testing/src/servers-setup.ts'],
        },
      },
    ],
    reporters: ['default', './infra/skipped-reporter.ts'],
    // Twice the cores of a small machine: many tests wait, for a browser, a server or a lease.
    maxWorkers: 4,
  },
});
