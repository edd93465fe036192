import type { IContainer as Container } from 'kubernetes-models/v1/Container';
import type { IPodSpec as PodSpec } from 'kubernetes-models/v1/PodSpec';
import type { IPodTemplateSpec as PodTemplateSpec } from 'kubernetes-models/v1/PodTemplateSpec';

/** As long as the tag stands in an overlay: `images` of kustomize replaces it. */
export const image = (version: string) => `relata:${version}`;

/** What every object carries, so that `kubectl -l` finds all of them. */
export const labelsOf = (app: string) => ({
  'app.kubernetes.io/name': app,
  'app.kubernetes.io/part-of': 'relata',
});

/** What selects the pods of an app, and never changes: a Deployment's selector cannot. */
export const selectorOf = (app: string) => ({ 'app.kubernetes.io/name': app, 'app.kubernetes.io/part-of': 'relata' });

/** What the profile `restricted` asks of a container, and no file system that can be written. */
const restricted: NonNullable<Container['securityContext']> = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

/** A pod with one container of the image, which has nothing but its settings and a /tmp. */
export function podOf(app: string, container: Omit<Container, 'name'>, more: Partial<PodSpec> = {}): PodTemplateSpec {
  return {
    metadata: { labels: labelsOf(app) },
    spec: {
      serviceAccountName: app,
      automountServiceAccountToken: false,
      // Variables like RECORDS_API_PORT, of which nobody knows which setting they will be.
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
