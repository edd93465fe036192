import { configDefaults, defineConfig } from 'vitest/config';

/**
 * A test that passes never waits this long; one that fails may take its time. The machine may stand still for seconds,
 * and a test that holds a time against the machine rather than against a claim fails for the wrong reason.
 */
const patience = { testTimeout: 60_000, hookTimeout: 60_000, expect: { poll: { timeout: 20_000 } } };

/** `unit` needs nothing but Node; `service` is given PostgreSQL and NATS. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'packages/{schemas,runtime,channel,expressions,outbound,knowledge,signatures}/src/**/*.test.ts',
            'infra/**/*.test.ts',
            'bench/**/*.test.ts',
            '*.test.ts',
          ],
          exclude: [...configDefaults.exclude, 'infra/services-start.test.ts'],
          ...patience,
        },
      },
      {
        test: {
          name: 'service',
          include: [
            'apps/*/src/**/*.test.{ts,tsx}',
            'examples/*/*.test.ts',
            'infra/services-start.test.ts',
            'packages/{db,messaging,events,auth,records,secrets,workflows,http,service,testing,embedded,demo-requests,people}/src/**/*.test.ts',
          ],
          globalSetup: ['packages/testing/src/servers-setup.ts'],
          ...patience,
        },
      },
    ],
    // One more than the cores of a small machine: many tests wait, for a browser, a server or a lease.
    maxWorkers: 3,
  },
});
