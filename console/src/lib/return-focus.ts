import { useEffect, useState } from 'react';

/**
 * For a dialog that is taken out of the page when it closes: whoever had the focus before it gets it back, unless another dialog has
 * taken its place.
 */
export function useReturnFocus(): void {
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      if (opener instanceof HTMLElement) setTimeout(() => isReachable(opener) && opener.focus());
    },
    [opener],
  );
}

function isReachable(element: HTMLElement): boolean {
  const front = [...document.querySelectorAll('[role="dialog"]')].filter((dialog) => dialog.getClientRects().length > 0).at(-1);
  return element.isConnected && (front?.contains(element) ?? true);
}
