import type { IEnvVar as EnvVar } from 'kubernetes-models/v1/EnvVar';
import type { SettingsShape } from '@relata/runtime';
import type { Service } from '@relata/service';
import type { AppName } from '../../services.ts';
import { describeSetting, type DescribedSetting } from '../described-setting.ts';

/** The Secret of the apps: each key is the name of a setting. */
const secretName = 'relata';

/** The Secret with the database's address for the role that owns it. Only the migration gets it. */
export const ownerSecretName = 'relata-owner';

/** Values for a cluster that differ from the defaults. */
const clusterValues: Record<string, string> = {
  HOST: '0.0.0.0',
  // The Ingress controller is the only proxy.
  TRUST_PROXY: '1',
  // It takes some seconds until nodes and load balancers no longer send connections to a pod that stops.
  STOP_DRAIN_MS: '5000',
  // Time for the drain and for the longest request, which waits for a connection and then has its statement cancelled.
  STOP_TIMEOUT_MS: '20000',
};

const ownValues: Partial<Record<AppName, Record<string, string>>> = {
  // Time for the drain, the longest answer, and closing everything else, so that no answer is cut off.
  'chat-gateway': { STOP_TIMEOUT_MS: '70000' },
  // No client connects to this app, so its drain is short. Half of the stop timeout is for running steps, which have
  // 10 s per attempt.
  'workflow-worker': { STOP_DRAIN_MS: '500', STOP_TIMEOUT_MS: '40000' },
};

/**
 * Secrets whose defaults suit only a single machine: without them the apps would start, but not reach their servers.
 */
const neededInCluster = new Set(['NATS_URL']);

/** Returns the value of an app's setting in the cluster. An empty string counts as unset. */
export function valueOf(app: AppName, { name, fallback = '' }: Pick<DescribedSetting, 'name' | 'fallback'>): string {
  return ownValues[app]?.[name] ?? clusterValues[name] ?? fallback;
}

export function numberOf(app: Service & { name: AppName }, name: string): number {
  return Number(valueOf(app.name, describeSetting(name, app.settings[name]!)));
}

/** Returns every setting that an app declares, secrets by reference and all others by value. */
export function environmentOf({ name: app, settings }: Service & { name: AppName }): EnvVar[] {
  return Object.entries(settings as SettingsShape).map(([name, schema]) => {
    const setting = describeSetting(name, schema);
    return setting.isSecret ? fromSecret(setting) : { name, value: valueOf(app, setting) };
  });
}

/** Returns a variable that is read from a Secret. If the setting is required, no pod starts without it. */
export function fromSecret({ name, isRequired }: DescribedSetting, secret = secretName): EnvVar {
  const optional = !isRequired && !neededInCluster.has(name);
  return { name, valueFrom: { secretKeyRef: { name: secret, key: name, ...(optional && { optional }) } } };
}
