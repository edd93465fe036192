import type { IContainer as Container } from 'kubernetes-models/v1/Container';
import type { IPodSpec as PodSpec } from 'kubernetes-models/v1/PodSpec';
import type { IPodTemplateSpec as PodTemplateSpec } from 'kubernetes-models/v1/PodTemplateSpec';

/** Returns the name of the image. An overlay can replace the tag with `images` of kustomize. */
export const image = (version: string) => `relata:${version}`;

/** Returns the labels of every object, so that `kubectl -l` finds all of them. */
export const labelsOf = (app: string) => ({
  'app.kubernetes.io/name': app,
  'app.kubernetes.io/part-of': 'relata',
});

/**
 * Returns the labels that select the pods of an app. They must never change, because the selector of a Deployment
 * cannot be changed.
 */
export const selectorOf = (app: string) => ({ 'app.kubernetes.io/name': app, 'app.kubernetes.io/part-of': 'relata' });

/** Security context for the profile `restricted`, with a read-only file system. */
const restricted: NonNullable<Container['securityContext']> = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

/** Returns a pod with one container of the image. The container has only its settings and a /tmp. */
export function podOf(app: string, container: Omit<Container, 'name'>, more: Partial<PodSpec> = {}): PodTemplateSpec {
  return {
    metadata: { labels: labelsOf(app) },
    spec: {
      serviceAccountName: app,
      automountServiceAccountToken: false,
      // Disables variables like RECORDS_API_PORT, which might collide with a setting.
      enableServiceLinks: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 1000,
        runAsGroup: 1000,
        fsGroup: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      ...more,
      containers: [
        {
          name: app,
          ...container,
          securityContext: restricted,
          volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
        },
      ],
      volumes: [{ name: 'tmp', emptyDir: { sizeLimit: '64Mi' } }],
    },
  };
}
