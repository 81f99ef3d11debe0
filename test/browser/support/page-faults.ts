/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

/** Runs in the page: buttons of different rows that are called the same, so that one who only hears them cannot tell which is which. */
export function sameNames(): string[] {
  const owners = new Map<string, string | undefined>();
  const faults: string[] = [];
  for (const button of document.querySelectorAll<HTMLElement>('tr[data-row] button')) {
    const row = button.closest<HTMLElement>('tr[data-row]')?.dataset.row;
    const name = button.getAttribute('aria-label') ?? button.textContent.trim();
    if (owners.has(name) && owners.get(name) !== row) faults.push(`two rows have a button "${name}"`);
    owners.set(name, row);
  }
  return [...new Set(faults)];
}

/**
 * Runs in the page: words of the console that are cut off when they are longer by two fifths, as another language's are. All is measured
 * in one go and put back, so the page never notices. Whoever tells its whole text in a title may be cut.
 */
export function clippedWhenLonger(): string[] {
  const words = 'button, nav a, h1, h2, th, label, [role=tab], .ant-segmented-item-label, .ant-descriptions-item-label';
  const changed: [Text, string][] = [];
  const elements = [...document.querySelectorAll<HTMLElement>(words)].filter((element) => element.offsetParent !== null);
  for (const element of elements) {
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode() as Text | null; text !== null; text = texts.nextNode() as Text | null) {
      if (text.data.trim() === '' || changed.some(([known]) => known === text)) continue;
      changed.push([text, text.data]);
      text.data += 'ø'.repeat(Math.ceil(text.data.length * 0.4));
    }
  }
  const faults: string[] = [];
  for (const element of elements) {
    if (element.closest('[title]')) continue;
    for (let box: HTMLElement | null = element; box && box !== document.body; box = box.parentElement) {
      if (getComputedStyle(box).overflowX === 'auto' || getComputedStyle(box).overflowX === 'scroll') break;
      if (getComputedStyle(box).overflowX === 'visible' || box.scrollWidth <= box.clientWidth + 1) continue;
      if (element.getBoundingClientRect().right <= box.getBoundingClientRect().right + 1) continue;
      faults.push(
        `cut off when longer: "${element.textContent.replace(/ø/g, '').slice(0, 40)}" in ${box.tagName}.${box.className}`,
      );
      break;
    }
  }
  if (document.documentElement.scrollWidth > innerWidth + 1)
    faults.push('the page is wider than the window when its words are longer');
  for (const [text, before] of changed) text.data = before;
  return faults;
}

/** Keys of texts that have no words. Each text of the page for itself: the ends of two that stand side by side are no key. */
export function missingWords(): string[] {
  const key =
    /\b(action|alerts|audit|bulk|calendar|callbacks?|codes|deed|explain|graph|groups|history|jobs?|keys|kindOf|live|me|nav|overview|permission|problem|reason|settings|shell|state|system|tasks?|transfer|users|window|workers)\.[a-z]+([A-Z][a-z]+)+\b/g;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found: string[] = [];
  while (walker.nextNode()) found.push(...(walker.currentNode.nodeValue?.match(key) ?? []));
  return found;
}
