import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Timeouts, far longer than any passing test takes. The machine can stall for seconds, and a test must not fail because
 * the machine is slow.
 */
const patience = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 60_000 } } };

/**
 * Test files of a worker share a process and its loaded modules: loading the modules again for each file took more than
 * a quarter of the whole run. Each file must stop everything that it starts.
 */
const shared = {
  isolate: false,
  // Fewer and cheaper garbage collections: the modules of all files stay in the heap.
  execArgv: ['--max-semi-space-size=32'],
  ...patience,
};

/**
 * Long files of `unit`, which start before its short files: if a long file started last, the other workers would wait
 * idle for its end. They start after the `service` files, because the checks that run at the same time as the first
 * tests would disturb their measurements.
 */
const longest = [
  'infra/local/start.test.ts',
  'infra/chaos/chaos.test.ts',
  'infra/backup/commands.test.ts',
  'infra/backup/backup.test.ts',
  'infra/fuzz/fuzz.test.ts',
  'infra/release/release.test.ts',
];

/** A file that measures times, so it starts last, when few other tests are still running. */
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

/** Two projects: `unit` needs only Node, and `service` gets a PostgreSQL and a NATS server. */
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
    // Node imports the sources as it does in production. Vite's runner takes longer, and its wrapped imports slow every
    // call down.
    experimental: { viteModuleRunner: false },
    // Twice the cores of a small machine, because many tests wait for a browser, a server or a lease.
    maxWorkers: 4,
  },
});
