import type { ComponentChildren } from 'preact';
import { safeUrl } from './safe-url.ts';

interface LinkProps {
  href: string;
  children: ComponentChildren;
}

/** A link into a new tab that learns nothing of this page; only its text where the address may not be shown. */
export function Link({ href, children }: LinkProps) {
  const url = safeUrl(href);
  if (url === undefined) return <>{children}</>;
  return (
    <a class="link" href={url} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}
