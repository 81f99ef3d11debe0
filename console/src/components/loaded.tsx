import type { UseQueryResult } from '@tanstack/react-query';
import { Skeleton } from 'antd';
import type { ReactNode } from 'react';
import { ErrorPanel } from './error-panel';

interface Asked<T> {
  query: UseQueryResult<T>;
  /** What the answer is about, where it may be gone. */
  object?: { type: string; id: string };
  children: (data: T) => ReactNode;
}

/** What is drawn of an answer once it is there; the last good one stays beside what failed since. */
export function Loaded<T>({ query, object, children }: Asked<T>) {
  const { data, error, refetch } = query;
  return (
    <>
      {error && <ErrorPanel error={error} onRetry={() => void refetch()} object={object} />}
      {data === undefined && !error && <Skeleton active />}
      {data !== undefined && children(data)}
    </>
  );
}
