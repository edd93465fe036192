import { startRefusingPostgres } from '@relata/testing';
import { expect, test } from 'vitest';
import { relata } from '../cli.harness.ts';

test.each([
  [['orgs', 'list'], 'unsupported startup parameter: statement_timeout'],
  [['migrate'], 'no more connections allowed (max_client_conn)'],
])(
  'the error of %j repeats what the server answered, and does not ask whether it is running',
  async (args, message) => {
    await using server = await startRefusingPostgres({ code: '08P01', message });
    const { code, stderr } = await relata(args, { env: { DATABASE_URL: server.url, NATS_URL: 'nats://127.0.0.1:1' } });
    expect(code).toBeGreaterThan(0);
    expect(stderr).toContain(`answered: ${message} (08P01).`);
    expect(stderr).not.toMatch(/Is it running|secret/);
  },
);
