import { documentUrl } from '@relata/schemas/document-url';
import { ExternalLink } from 'lucide-react';
import type { ReactNode } from 'react';
import { useMe } from '../../api/queries.ts';

/** A link to a page of the documentation at the public URL of the installation. */
export function DocsLink({ page, children }: { page: 'senders' | 'workflows'; children: ReactNode }) {
  return (
    <a href={documentUrl(page, useMe().server.public_url)} target="_blank" rel="noreferrer">
      {children} (new tab) <ExternalLink size={12} aria-hidden />
    </a>
  );
}
