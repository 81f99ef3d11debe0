import { useBlocker } from '@tanstack/react-router';
import { useEffect } from 'react';

const questions = new Set<() => Promise<boolean>>();

/** Whether the page may be left: true when nothing on it is unsaved, or when the person says that it may be lost. */
export async function mayLeave(): Promise<boolean> {
  for (const question of questions) if (!(await question())) return false;
  return true;
}

/** Asks before the page is left for another one, by a link or by signing out, and lets the browser ask before the tab is closed. */
export function useUnsaved(isUnsaved: () => boolean, ask: () => Promise<boolean>): void {
  useBlocker({
    shouldBlockFn: async ({ current, next }) => current.pathname !== next.pathname && isUnsaved() && !(await ask()),
    enableBeforeUnload: isUnsaved,
  });
  useEffect(() => {
    const question = async () => !isUnsaved() || ask();
    questions.add(question);
    return () => void questions.delete(question);
  });
}
