import { useMe } from '../api/queries.ts';
import { State } from '../ui/data/state.tsx';

export function OnOff({ isOn }: { isOn: boolean }) {
  return <State tone={isOn ? 'ok' : 'idle'}>{isOn ? 'on' : 'off'}</State>;
}

/** The whole address that senders post to. */
export function useTriggerUrl(url: string): string {
  return new URL(url, useMe().server.public_url).href;
}
