import { useCall } from '../api/queries.ts';
import type { Key } from '../api/types.ts';
import { useOrg } from '../shell/org.ts';
import type { Option } from '../ui/controls/field.tsx';
import { hasEnded, shortKey } from '../keys/key-state.ts';

/** The keys of the organization, those that cannot open a trigger with the reason. */
export function useKeyOptions(valueOf: (id: string) => string): readonly Option[] {
  const org = useOrg();
  const keys = useCall('listKeys', { params: { org: org.id } });
  const now = Date.now();
  return (keys.data?.data ?? [])
    .map((key) => {
      const reason = whyUnfit(key, now);
      return [valueOf(key.id), `API key ${key.name}, ${shortKey(key)}${reason}`, reason !== ''] as const;
    })
    .toSorted((a, b) => Number(a[2]) - Number(b[2]));
}

function whyUnfit(key: Key, now: number): string {
  if (hasEnded(key, now)) return ' (revoked or expired)';
  if (key.kind === 'publishable') return ' (for web pages only)';
  return key.scopes.includes('webhook') ? '' : ' (needs the permission webhook)';
}
