import type { IIngress as Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { routes } from '../../local/gateway/routes.ts';
import { labelsOf } from './pod.ts';

/**
 * The paths of the gateway, as whole segments. Its host, its class and its certificate are the operator's. A path like
 * `/webhooks`, which nothing serves, gets the 404 of another app than behind the gateway.
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
