import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase, statement } from '@relata/db';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { appNames } from '../services.ts';
import { like } from './stack/stack.harness.ts';
import type { StackFile } from './stack/stack-file.ts';
import { promised, type Started } from './start.harness.ts';

const { pid, url } = like;

let { checkout, stack } = {} as Started;

/** Returns the ids of all processes in `stack.json`. */
export function pidsOf({ pid, services, postgres, nats }: StackFile): number[] {
  return [pid, ...Object.values(services).map((service) => service.pid), postgres.pid ?? 0, nats.pid ?? 0];
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Tests the files that a start writes, and the environment of its processes. */
export function testStack(started: () => Started): void {
  describe('the stack', () => {
    beforeAll(() => void ({ checkout, stack } = started()));

    test('only its owner can read stack.json', async () => {
      expect((await stat(checkout.stackPath)).mode & 0o777).toBe(0o600);
    });

    test('stack.json has the address of the stack, and address and process id of every app and server', async () => {
      const service = { url, pid };
      expect(stack).toEqual({
        base_url: url,
        pid,
        services: Object.fromEntries(appNames.map((name) => [name, service])),
        console: { url: `${stack.base_url}/console` },
        postgres: {
          url: expect.stringMatching(/^postgres:\/\/\S+:\d+\/relata$/),
          app_url: expect.stringMatching(/^postgres:\/\/relata_app:\S+:\d+\/relata$/),
          pid,
          data_dir: join(checkout.folder, '.local', 'postgres'),
        },
        nats: {
          url: expect.stringMatching(/^nats:\/\/[\w-]{32}@127\.0\.0\.1:\d+$/),
          pid,
          store_dir: join(checkout.folder, '.local', 'nats'),
        },
        channel: { url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/inbox\/[\w-]{32}$/), kind: 'slack' },
        secrets: { key_file: join(checkout.folder, '.local', 'secrets.key') },
        signing: { key_file: join(checkout.folder, '.local', 'signing.keys') },
        notify: { key_file: join(checkout.folder, '.local', 'notify.keys') },
        organizations: expect.any(Array),
      });
      expect(pidsOf(stack).filter((one) => !isAlive(one))).toEqual([]);
      // The apps, and three more processes: the stack itself, PostgreSQL and NATS.
      expect(new Set(pidsOf(stack)).size).toBe(appNames.length + 3);
    });

    test('the apps use a database role that owns nothing, and stack.json has the address for the owner', async () => {
      await using database = openDatabase({ url: stack.postgres.url, name: 'test', poolMax: 1 });
      const roles = statement<{ name: string; powerful: boolean; owned: number }>(
        '',
        `SELECT DISTINCT usename AS name, rolsuper OR rolcreatedb OR rolcreaterole AS powerful,
           (SELECT count(*) FROM pg_class WHERE relowner = usesysid) AS owned
         FROM pg_stat_activity JOIN pg_roles ON pg_roles.oid = usesysid WHERE application_name = ANY ($1)`,
      );
      await vi.waitFor(async () => {
        expect(await database.query(roles, [appNames])).toEqual([{ name: 'relata_app', powerful: false, owned: 0 }]);
      }, promised);
      const [owner] = await database.query(statement('', 'SELECT count(*) AS n FROM pg_authid'), []);
      expect(owner).toBeDefined();
    });

    test('relata doctor finds nothing to do', async () => {
      const doctor = await checkout.relata('doctor', '--json');
      expect(await doctor.exited, doctor.stderr()).toEqual({ code: 0, signal: null });
      const findings = JSON.parse(doctor.stdout()) as { level: string }[];
      expect(findings.filter(({ level }) => level !== 'ok')).toEqual([]);
    });

    test('the password of PostgreSQL and the token of NATS are in files that only the owner can read', async () => {
      for (const name of ['postgres-app.password', 'nats.token', 'nats/nats.conf'])
        expect((await stat(join(checkout.folder, '.local', name))).mode & 0o777, name).toBe(0o600);
    });

    test('no app gets the keys of other services', async (context) => {
      context.skip(process.platform !== 'linux', 'needs Linux');
      for (const { pid } of Object.values(stack.services)) {
        const names = (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0').map((line) => line.split('=')[0]);
        expect(names).toContain('DATABASE_URL');
        expect(names).not.toContain('AWS_SECRET_ACCESS_KEY');
      }
    });
  });
}
