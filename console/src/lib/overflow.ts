import { useCallback, useState } from 'react';

/** For an element: where to hang it, and whether what is in it is wider than itself, so that one scrolls sideways. */
export function useOverflow(): [(element: HTMLElement | null) => void, boolean] {
  const [wider, setWider] = useState(false);
  const frame = useCallback((element: HTMLElement | null) => {
    if (element === null) return;
    const look = () => setWider(element.scrollWidth > element.clientWidth);
    const observer = new ResizeObserver(look);
    for (const each of [element, ...element.children]) observer.observe(each);
    return () => observer.disconnect();
  }, []);
  return [frame, wider];
}
