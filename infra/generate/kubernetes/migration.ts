import type { IJob as Job } from 'kubernetes-models/batch/v1/Job';
import { migrationSettings, type SettingsShape } from '@relata/runtime';
import { nodeOptions } from '@relata/service';
import { bundleIn, serviceOf, services } from '../../services.ts';
import { describeSetting } from '../described-setting.ts';
import { usualMb } from '../memory.ts';
import { accountOf } from './app.ts';
import { accessOfMigration } from './network.ts';
import { image, labelsOf, podOf } from './pod.ts';
import { fromSecret, ownerSecretName } from './settings.ts';

const name = 'relata-migrate';

/**
 * Returns the Job that runs `relata migrate`. Apply it alone, by its label, and let it end before you apply the apps of
 * its release.
 */
export function migration(version: string): object[] {
  const database = describeSetting('DATABASE_URL', serviceOf(services[0]!.name).settings['DATABASE_URL']!);
  const own = Object.entries(migrationSettings as SettingsShape).map(([setting, schema]) =>
    describeSetting(setting, schema),
  );
  const job: Job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, labels: labelsOf(name) },
    spec: {
      // Each migration is a transaction of its own, so the command can be retried.
      backoffLimit: 3,
      activeDeadlineSeconds: 3_600,
      template: podOf(
        name,
        {
          image: image(version),
          command: ['node', ...nodeOptions],
          args: [bundleIn('cli'), 'migrate'],
          env: [
            fromSecret(database),
            ...own.map((setting) =>
              setting.isSecret
                ? fromSecret({ ...setting, isRequired: true }, ownerSecretName)
                : { name: setting.name, value: setting.fallback ?? '' },
            ),
          ],
          resources: { requests: { cpu: '100m', memory: '256Mi' }, limits: { memory: `${usualMb}Mi` } },
        },
        { restartPolicy: 'Never' },
      ),
    },
  };
  return [accountOf(name), job, accessOfMigration(name)];
}
