import type { UseQueryResult } from '@tanstack/react-query';
import { Skeleton } from 'antd';
import type { ReactNode } from 'react';
import { ErrorPanel } from './error-panel';

/** What is drawn of an answer once it is there; the last good one stays beside what failed since. */
export function Loaded<T>({ query, children }: { query: UseQueryResult<T>; children: (data: T) => ReactNode }) {
  const { data, error, refetch } = query;
  return (
    <>
      {error && <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data === undefined && !error && <Skeleton active />}
      {data !== undefined && children(data)}
    </>
  );
}
