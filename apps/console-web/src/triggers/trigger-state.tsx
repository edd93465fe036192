import { useMe } from '../api/queries.ts';
import type { ListedTrigger } from '../api/types.ts';
import { State } from '../ui/data/state.tsx';
import { proofName } from './senders.ts';

export function OnOff({ isOn }: { isOn: boolean }) {
  return <State tone={isOn ? 'ok' : 'idle'}>{isOn ? 'Enabled' : 'Disabled'}</State>;
}

/** Returns how the senders of a trigger authenticate: `API key ERP …a1B2`. */
export function openedBy({ key, sender, secret_last_four }: ListedTrigger): string {
  if (sender) return proofName(sender);
  if (key) return `API key ${key.name} …${key.last_four}`;
  return secret_last_four ? `Secret …${secret_last_four}` : 'None';
}

export function useTriggerUrl(url: string): string {
  return new URL(url, useMe().server.public_url).href;
}
