import type { IIngress as Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { routes } from '../../local/gateway/routes.ts';
import { labelsOf } from './pod.ts';

/**
 * The paths of the gateway, as whole segments. The operator sets its host, its class and its certificate. A path such
 * as `/webhooks`, which nothing serves, gets a 404 from a different app than behind the gateway.
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
    metadata: { name: 'relata', labels: labelsOf('relata') },
    spec: { rules: [{ http: { paths } }] },
  };
}
