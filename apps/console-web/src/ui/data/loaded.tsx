import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { asFailure } from '../../api/failure.ts';
import { NotFoundHere } from '../../shell/not-found.tsx';
import { Skeleton } from './empty.tsx';
import { ErrorAlert } from './error-alert.tsx';

interface LoadedProps<Data> {
  query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>;
  lines?: number;
  children: (data: Data) => ReactNode;
}

/** Shows a skeleton, then the response or the failure. A response stays visible while it is fetched again. */
export function Loaded<Data>({ query, lines, children }: LoadedProps<Data>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <ErrorAlert failure={asFailure(query.error)} onRetry={() => void query.refetch()} />;
  return <Skeleton lines={lines} />;
}

/** Like Loaded, for a record that may not exist. */
export function LoadedRecord<Data>(props: LoadedProps<Data>) {
  if (props.query.error && asFailure(props.query.error).status === 404) return <NotFoundHere />;
  return <Loaded {...props} />;
}
