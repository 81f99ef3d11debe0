import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Permission, SessionView } from '../../../src/admin/contract/session.js';
import { ApiError, api } from './client';

export const SESSION_KEY = ['session'] as const;

/** Null when nobody is signed in. */
async function fetchSession(): Promise<SessionView | null> {
  try {
    return await api.get<SessionView>('session');
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

export const sessionQuestion = queryOptions({ queryKey: SESSION_KEY, queryFn: fetchSession, staleTime: 60_000 });

export function useSession(): SessionView | null {
  return useQuery(sessionQuestion).data ?? null;
}

/** Whether the caller may do it in the group; null: somewhere at all. The server decides; this only says so beforehand. */
export function mayDo(session: SessionView | null, permission: Permission, group: string | null = null): boolean {
  if (!session) return false;
  if (session.permissions.includes(permission)) return true;
  if (group !== null) return session.groupPermissions[group]?.includes(permission) ?? false;
  return Object.values(session.groupPermissions).some((held) => held.includes(permission));
}
/** Holds no permission, neither everywhere nor in a group. */
export const mayNothing = (session: SessionView | null): boolean =>
  session !== null && session.permissions.length === 0 && Object.values(session.groupPermissions).flat().length === 0;
export const useMay = (permission: Permission, group: string | null = null): boolean => mayDo(useSession(), permission, group);
