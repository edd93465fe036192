import { readStored, store } from './elements.ts';

const themes = ['system', 'light', 'dark'] as const;
const name = 'relata.theme';

/** Enables the button that chooses the theme. The console on the same origin uses the same setting. */
export function addThemeButton(): void {
  const button = document.querySelector<HTMLButtonElement>('button.theme');
  if (!button) return;
  const current = () => themes.find((theme) => theme === readStored('localStorage', name)) ?? 'system';
  const show = () => {
    button.textContent = `Theme: ${current()}`;
  };
  button.addEventListener('click', () => {
    const next = themes[(themes.indexOf(current()) + 1) % themes.length]!;
    store('localStorage', name, next === 'system' ? undefined : next);
    if (next === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = next;
    show();
  });
  addEventListener('storage', show);
  show();
  button.hidden = false;
}
