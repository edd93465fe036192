import type { ReactNode } from 'react';
import type { TriggerSearch } from '../search-params.ts';
import { OrgLink } from '../shell/org.ts';

interface TriggerLinkProps {
  id: string;
  search?: TriggerSearch;
  className?: string;
  children: ReactNode;
}

export function TriggerLink({ id, ...rest }: TriggerLinkProps) {
  return <OrgLink to="/o/$org/triggers/$id" params={{ id }} {...rest} />;
}
