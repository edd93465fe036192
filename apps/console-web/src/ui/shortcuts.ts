import { useEffect, useEffectEvent } from 'react';

/** An action that a key runs while its control is on the page. */
export interface Shortcut {
  /** `c`, `/`, `Shift Y`, or a sequence such as `g t`. */
  keys: string;
  name: string;
  run: () => void;
}

const acts = new Set<Shortcut>();

/** Returns the actions of this page, newest first. If several have the same keys, only the newest is listed. */
export function listShortcuts(): Shortcut[] {
  const all = [...acts].toReversed();
  return all.filter(({ keys }, at) => all.findIndex((other) => other.keys === keys) === at);
}

const arrivalMs = 10_000;
let wanted: { name: string; before: number } | undefined;

/** Runs an action of the page that is about to open, once the page offers it. Gives up after 10 s. */
export function actOnArrival(name: string): void {
  wanted = { name, before: performance.now() + arrivalMs };
}

function isWanted(name: string): boolean {
  if (wanted?.name !== name) return false;
  const { before } = wanted;
  wanted = undefined;
  return performance.now() < before;
}

/** Assigns keys to an action while the caller is on the page. */
export function useShortcut(keys: string, name: string, run: () => void): void {
  const newest = useEffectEvent(run);
  useEffect(() => {
    const act = { keys, name, run: () => newest() };
    acts.add(act);
    if (isWanted(name)) act.run();
    return () => void acts.delete(act);
  }, [keys, name]);
}

const settingName = 'relata.shortcuts';

export function areShortcutsOn(): boolean {
  return localStorage.getItem(settingName) !== 'off';
}

export function switchShortcuts(isOn: boolean): void {
  if (isOn) localStorage.removeItem(settingName);
  else localStorage.setItem(settingName, 'off');
}

const sequenceMs = 1_200;
let pending = '';
let pendingSince = 0;

/** Runs the action of the pressed keys, unless the focus is in a field or an overlay is open. */
export function onShortcutKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !areShortcutsOn()) return;
  // Ignores the Shift key itself, which would otherwise begin a sequence such as `Shift Y`.
  if (event.key === 'Shift') return;
  if (isTyping(event.target) || document.querySelector('[role=dialog],[role=alertdialog],[role=menu]')) return;
  const key = event.shiftKey && /^[A-Z]$/.test(event.key) ? `Shift ${event.key}` : event.key;
  const keys = event.timeStamp - pendingSince < sequenceMs && pending ? `${pending} ${key}` : key;
  const act = listShortcuts().find((one) => one.keys === keys);
  pending = !act && listShortcuts().some((one) => one.keys.startsWith(`${keys} `)) ? keys : '';
  pendingSince = event.timeStamp;
  if (!act) return;
  event.preventDefault();
  act.run();
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));
}
