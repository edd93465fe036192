import { type Shortcut, actOnArrival } from '../ui/shortcuts.ts';
import { sections, settingsPages } from './nav.tsx';
import type { Membership } from './org.ts';
import type { Find, Finds } from './palette-finds.ts';

export interface Choice {
  name: string;
  kind: string;
  run: () => void;
}

interface Context {
  current: Membership | undefined;
  memberships: readonly Membership[];
  acts: readonly Shortcut[];
  finds: Finds;
  go: (to: string, search?: Find['search']) => void;
}

const shownMax = 12;

/**
 * Returns all choices, or only the found objects if an id was typed. Found objects come last, because they arrive
 * later.
 */
export function choicesFor({ current, memberships, acts, finds, go }: Context): Choice[] {
  const found = finds.found.map(({ name, kind, to, search }) => ({ name, kind, run: () => go(to, search) }));
  if (finds.isId) return found;
  const org = current && `/o/${current.organization.id}`;
  const page = (name: string, to: string, kind = 'page') => ({ name, kind, run: () => go(to) });
  const isAdmin = current?.permissions.includes('manage') ?? false;
  const pages = [...sections.slice(0, -1), ...settingsPages(isAdmin)];
  return [
    ...(org ? pages.map(({ name, to }) => page(name, to.replace('/o/$org', org))) : []),
    page('Your account: name, password, sessions, theme', '/me'),
    ...memberships
      .filter((one) => one !== current)
      .map(({ organization }) => page(organization.name, `/o/${organization.id}`, 'organization')),
    ...acts.filter(({ keys }) => !/^(g|j|k|\?)/.test(keys)).map(({ name, run }) => ({ name, kind: 'action', run })),
    ...(org && isAdmin ? actsElsewhere(org, acts, go) : []),
    ...found,
  ];
}

/**
 * Actions of other pages: name in the palette, page, and name of the action on that page. The action is undefined if
 * the page only has to be opened.
 */
const elsewhere = [
  ['Create key', '/settings/keys', 'Create key'],
  ['Invite member', '/settings/members', 'Invite member'],
  ['Create trigger', '/triggers', 'Create trigger'],
  ['New workflow', '/workflows/new', undefined],
] as const;

function actsElsewhere(org: string, here: readonly Shortcut[], go: Context['go']): Choice[] {
  const others = elsewhere.filter(([, , act]) => !here.some(({ name }) => name === act));
  return others.map(([name, page, act]) => {
    const run = () => {
      if (act) actOnArrival(act);
      go(`${org}${page}`);
    };
    return { name, kind: 'action', run };
  });
}

export function matching(choices: readonly Choice[], text: string): Choice[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const isMatch = ({ name, kind }: Choice) => words.every((word) => `${name} ${kind}`.toLowerCase().includes(word));
  return choices.filter(isMatch).slice(0, shownMax);
}
