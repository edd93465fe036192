import { configDefaults, defineConfig } from 'vitest/config';

/** `unit` needs nothing but Node; `service` is given PostgreSQL and NATS. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'packages/{schemas,runtime,channel,expressions,outbound,knowledge,events}/src/**/*.test.ts',
            'infra/**/*.test.ts',
            'bench/**/*.test.ts',
            '*.test.ts',
          ],
          exclude: [...configDefaults.exclude, 'infra/services.start.test.ts'],
        },
      },
      {
        test: {
          name: 'service',
          include: [
            'apps/*/src/**/*.test.{ts,tsx}',
            'examples/*/*.test.ts',
            'infra/services.start.test.ts',
            'packages/{db,messaging,auth,records,secrets,workflows,http,service,testing,embedded,demo-requests}/src/**/*.test.ts',
          ],
          globalSetup: ['packages/testing/src/servers.setup.ts'],
          hookTimeout: 30_000,
          testTimeout: 20_000,
        },
      },
    ],
    maxWorkers: 2,
  },
});
