import type { Service } from '@relata/service';
import { type AppName, services } from '../../services.ts';
import { autoscalers, workerBounds } from './scaling.ts';
import { connectionsOf, type Size } from './sizes.ts';

type Files = Record<string, readonly object[]>;

/** Returns the files of an overlay by their names: its kustomization, a patch of each app, and the autoscalers. */
export function overlayOf(size: Size): Files {
  const scaling = autoscalers(size);
  const bounds = size.components.includes('worker-queue') ? workerBounds(size) : undefined;
  const patches: Files = {
    ...Object.fromEntries(services.map((app) => [`${app.name}.yaml`, [patchOf(app, size)]])),
    ...(bounds && { 'worker-queue.yaml': [bounds] }),
  };
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: ['../../base', ...(scaling.length > 0 ? ['autoscaling.yaml'] : [])],
    ...(size.components.length > 0 && { components: size.components.map((name) => `../../components/${name}`) }),
    patches: Object.keys(patches).map((path) => ({ path })),
  };
  return {
    'kustomization.yaml': [kustomization],
    ...(scaling.length > 0 && { 'autoscaling.yaml': scaling }),
    ...patches,
  };
}

/**
 * Returns the patch of an app. If there is an autoscaler, the patch has no number of replicas, because each release
 * would otherwise reset the number.
 */
function patchOf({ name, settings }: Service & { name: AppName }, size: Size): object {
  const replicas = size.replicas[name];
  const env = Object.entries(size.settings).flatMap(([setting, value]) =>
    setting in settings ? [{ name: setting, value }] : [],
  );
  // The console has few users, so its resources do not depend on the size.
  const resources = name !== 'console' && { resources: { requests: { cpu: size.cpuRequest } } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      ...(typeof replicas === 'number' && { replicas }),
      template: { spec: { containers: [{ name, env, ...resources }] } },
    },
  };
}

/** Returns the comment at the head of an overlay: its purpose, and the number of connections that it needs. */
export function headOf(size: Size): string {
  const needed = connectionsOf(size);
  const pool = `The processes hold up to ${needed} connections (docs/scaling.md); PostgreSQL or PgBouncer must allow ${size.connectionsMax}.`;
  return [...size.reasons, pool].map((line) => `# ${line}\n`).join('');
}
