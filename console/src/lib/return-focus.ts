import { useEffect, useState } from 'react';

/** For a dialog that is taken out of the page when it closes: whoever had the focus before it gets it back. */
export function useReturnFocus(): void {
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      if (opener instanceof HTMLElement) setTimeout(() => opener.isConnected && opener.focus());
    },
    [opener],
  );
}
