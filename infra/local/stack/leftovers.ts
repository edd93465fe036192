import { rm } from 'node:fs/promises';
import { stopLeftoverNats, stopLeftoverPostgres, stopStranger } from '@relata/embedded';
import { type AppName, appNames, bundleOf, entryOf } from '../../services.ts';
import { paths } from '../paths.ts';
import { readStackFile, removeStackFile } from './stack-file.ts';

/**
 * Ends the apps of a stack whose supervisor was killed. Apps stop by themselves when their channel to the supervisor
 * closes, unless they hang.
 */
export async function stopLeftoverApps(): Promise<void> {
  const stack = await readStackFile(paths.stack);
  const steps = [
    { signal: 'SIGTERM', waitMs: 1_000 },
    { signal: 'SIGKILL', waitMs: 1_000 },
  ] as const;
  const pidOf = (name: AppName) => stack?.services?.[name]?.pid ?? 0;
  const stop = (name: AppName, file: string) => stopStranger(pidOf(name), [file], steps);
  await Promise.all(appNames.flatMap((name) => [bundleOf(name), entryOf(name)].map((file) => stop(name, file))));
  await removeStackFile(paths.stack);
}

/** Deletes all data of the local stack. Downloaded programs, logs and encryption keys stay. */
export async function deleteData(): Promise<void> {
  await Promise.all([stopLeftoverPostgres(paths.postgres), stopLeftoverNats(paths.nats)]);
  const data = [paths.postgres, paths.appPassword, paths.nats, paths.natsToken, paths.demo];
  await Promise.all(data.map((path) => rm(path, { recursive: true, force: true })));
}
