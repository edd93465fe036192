import type { INetworkPolicy as NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import type { INetworkPolicyEgressRule as NetworkPolicyEgressRule } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicyEgressRule';
import type { INetworkPolicyIngressRule as NetworkPolicyIngressRule } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicyIngressRule';
import type { INetworkPolicyPort as NetworkPolicyPort } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicyPort';
import type { Service } from '@relata/service';
import type { AppName } from '../../services.ts';
import { labelsOf, selectorOf } from './pod.ts';

/**
 * Labels of the namespaces whose pods may connect. The operator sets them, because nothing else identifies these
 * namespaces.
 */
const proxyLabel = { 'relata/proxy': 'true' };
const monitoringLabel = { 'relata/monitoring': 'true' };

const tcp = (...ports: (number | string)[]): NetworkPolicyPort[] => ports.map((port) => ({ protocol: 'TCP', port }));

/**
 * Ports of the name servers, PostgreSQL or PgBouncer, NATS, and a collector of traces. Only the operator knows their
 * addresses.
 */
const backends: NetworkPolicyEgressRule[] = [
  { ports: [{ protocol: 'UDP', port: 53 }, ...tcp(53)] },
  { ports: tcp(5432, 6432) },
  { ports: tcp(4222) },
  { ports: tcp(4318) },
];

/** All addresses except private ones, which `packages/outbound` refuses, too. */
const publicInternet: NonNullable<NetworkPolicyEgressRule['to']> = [
  {
    ipBlock: {
      cidr: '0.0.0.0/0',
      except: ['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'],
    },
  },
  { ipBlock: { cidr: '::/0', except: ['fc00::/7', 'fe80::/10'] } },
];

/** Connections that an app may open in addition to those to the backends. */
const outbound: Partial<Record<AppName, NetworkPolicyEgressRule[]>> = {
  'chat-gateway': [{ to: publicInternet, ports: tcp(443) }],
  'workflow-worker': [{ to: publicInternet }],
};

/**
 * Returns the policy for connections to and from an app. Only proxies reach the port of requests, because the apps
 * trust them to send the client's address.
 */
export function accessOf({ name, prefix }: Service & { name: AppName }): NetworkPolicy {
  const fromProxy: NetworkPolicyIngressRule = {
    from: [{ namespaceSelector: { matchLabels: proxyLabel } }],
    ports: tcp('http'),
  };
  const fromMonitoring: NetworkPolicyIngressRule = {
    from: [{ namespaceSelector: { matchLabels: monitoringLabel } }],
    ports: tcp('metrics'),
  };
  return policy(name, {
    podSelector: { matchLabels: selectorOf(name) },
    policyTypes: ['Ingress', 'Egress'],
    ingress: [...(prefix === undefined ? [] : [fromProxy]), fromMonitoring],
    egress: [...backends, ...(outbound[name] ?? [])],
  });
}

/** Returns the policy that lets the migration reach the name servers and PostgreSQL. */
export function accessOfMigration(name: string): NetworkPolicy {
  return policy(name, {
    podSelector: { matchLabels: selectorOf(name) },
    policyTypes: ['Ingress', 'Egress'],
    ingress: [],
    egress: backends.slice(0, 2),
  });
}

/** Returns the policy that refuses all connections of Relata's pods that no other policy permits. */
export function denyAll(): NetworkPolicy {
  return policy('relata', {
    podSelector: { matchLabels: { 'app.kubernetes.io/part-of': 'relata' } },
    policyTypes: ['Ingress', 'Egress'],
  });
}

function policy(name: string, spec: NetworkPolicy['spec']): NetworkPolicy {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name, labels: labelsOf(name) },
    ...(spec && { spec }),
  };
}
