import type { Act } from '../ui/acts.ts';
import { sections } from './nav.tsx';
import type { Membership } from './org.ts';

export interface Choice {
  name: string;
  kind: string;
  run: () => void;
}

interface Context {
  current: Membership | undefined;
  memberships: readonly Membership[];
  acts: readonly Act[];
  text: string;
  go: (to: string) => void;
}

const uuid = /^\s*[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\s*$/i;
const shownMax = 12;

/** Everything that can be chosen here; an id may be one of any kind, so each is offered. */
export function choicesFor({ current, memberships, acts, text, go }: Context): Choice[] {
  const org = current && `/o/${current.organization.id}`;
  const page = (name: string, to: string, kind = 'page') => ({ name, kind, run: () => go(to) });
  const ids = org && uuid.test(text) ? idPages(org, text.trim().toLowerCase()) : [];
  const isAdmin = current?.permissions.includes('manage');
  const settings = org ? settingsPages(org).slice(0, isAdmin ? undefined : 1) : [];
  return [
    ...ids.map(([name, to]) => page(name, to, 'id')),
    ...(org ? sections.slice(0, -1).map(({ name, to }) => page(name, to.replace('/o/$org', org))) : []),
    ...settings.map(([name, to]) => page(name, to)),
    page('You: name, password, sessions, theme', '/me'),
    ...memberships
      .filter((one) => one !== current)
      .map(({ organization }) => page(organization.name, `/o/${organization.id}`, 'organization')),
    ...acts.filter(({ keys }) => !/^(g|j|k|\?)/.test(keys)).map(({ name, run }) => ({ name, kind: 'act', run })),
  ];
}

/** The first is for everybody. */
const settingsPages = (org: string) => [
  ['General', `${org}/settings/general`] as const,
  ['API keys', `${org}/settings/keys`] as const,
  ['Members', `${org}/settings/members`] as const,
  ['Audit', `${org}/settings/audit`] as const,
];

const idPages = (org: string, id: string) => [
  [`Delivery ${id.slice(0, 8)}`, `${org}/deliveries?id=${id}`] as const,
  [`Run ${id.slice(0, 8)}`, `${org}/runs/${id}`] as const,
  [`Trigger ${id.slice(0, 8)}`, `${org}/triggers/${id}`] as const,
  [`Workflow ${id.slice(0, 8)}`, `${org}/workflows/${id}`] as const,
];

/** Those in which every word of the text is found, in their order. */
export function matching(choices: readonly Choice[], text: string): Choice[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const isMatch = ({ name, kind }: Choice) =>
    kind === 'id' || words.every((word) => `${name} ${kind}`.toLowerCase().includes(word));
  return choices.filter(isMatch).slice(0, shownMax);
}
