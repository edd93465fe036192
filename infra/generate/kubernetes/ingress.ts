import type { IIngress as Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { routes } from '../../local/gateway/routes.ts';
import { labelsOf } from './pod.ts';

/**
 * Annotation that lets ingress-nginx pass on bodies of up to 26 MB, more than any app accepts. The limit of
 * ingress-nginx is 1 MB by default. The apps refuse larger bodies themselves, and count refused webhook posts.
 */
const bodySize = { 'nginx.ingress.kubernetes.io/proxy-body-size': '26m' };

/**
 * Returns the Ingress with the paths of the gateway, as whole segments. The operator sets its host, class and
 * certificate. For a path that no app serves, such as `/webhooks`, the Ingress may choose a different app than the
 * gateway to answer 404.
 */
export function ingress(): Ingress {
  const paths = routes.map(({ prefix, app }) => ({
    path: prefix,
    pathType: 'Prefix' as const,
    backend: { service: { name: app, port: { name: 'http' } } },
  }));
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'relata', labels: labelsOf('relata'), annotations: bodySize },
    spec: { rules: [{ http: { paths } }] },
  };
}
