import './style/tokens.css';
import './style/base.css';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/queries.ts';
import { takeLinkToken } from './people/link-token.ts';
import { router } from './router.tsx';
import { loadAllPages } from './shell/lazy-page.tsx';
import { onShortcutKey } from './ui/shortcuts.ts';

// Removes the token before the router reads the address, because the router may keep the address in its state.
takeLinkToken();
addEventListener('keydown', onShortcutKey);

createRoot(document.querySelector('#app')!).render(
  <CSPProvider disableStyleElements>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </CSPProvider>,
);

// Waits 2 s, so that the requests of the first page go first.
addEventListener('load', () => setTimeout(() => void loadLater(), 2_000));

async function loadLater(): Promise<void> {
  await Promise.allSettled([import('./shell/session-overlay.tsx'), loadAllPages()]);
}
