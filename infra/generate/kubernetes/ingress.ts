import type { IIngress as Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { routes } from '../../local/gateway/routes.ts';
import { labelsOf } from './pod.ts';

/**
 * Lets ingress-nginx pass on bodies of up to 26 MB, more than any app accepts; its own limit is 1 MB. The apps refuse
 * larger bodies themselves, and count refused webhook posts.
 */
const bodySize = { 'nginx.ingress.kubernetes.io/proxy-body-size': '26m' };

/**
 * Returns the Ingress with the paths of the gateway, as whole segments. The operator sets its host, class and
 * certificate. A path that nothing serves, such as `/webhooks`, gets its 404 from another app than behind the gateway.
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
