import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { asFailure } from '../../api/failure.ts';
import { NotFoundHere } from '../../shell/not-found.tsx';
import { Skeleton } from './empty.tsx';
import { Trouble } from './trouble.tsx';

interface LoadedProps<Data> {
  query: UseQueryResult<Data>;
  lines?: number;
  children: (data: Data) => ReactNode;
}

/** What was asked for; before it its shape, and where it fails why. What is there stays while it is asked for again. */
export function Loaded<Data>({ query, lines, children }: LoadedProps<Data>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <Trouble failure={asFailure(query.error)} onRetry={() => void query.refetch()} />;
  return <Skeleton lines={lines} />;
}

/** The same of one thing by its id, which may be nothing, or another organization's. */
export function LoadedRecord<Data>(props: LoadedProps<Data>) {
  if (props.query.error && asFailure(props.query.error).status === 404) return <NotFoundHere />;
  return <Loaded {...props} />;
}
