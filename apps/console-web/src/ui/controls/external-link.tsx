import type { ReactNode } from 'react';

const schemes = /^(?:https?|mailto):/i;

/** The only way to an address that came as data: http, https and mailto; anything else is text. */
export function ExternalLink({ to, children }: { to: string; children: ReactNode }) {
  if (!schemes.test(to)) return <span>{children}</span>;
  return (
    <a href={to} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}
