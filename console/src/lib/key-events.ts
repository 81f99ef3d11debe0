const WRITING = 'input:not([type=checkbox]), textarea, select, [contenteditable], [role=combobox], [role=menu]';

/** Whether a key without a modifier is a shortcut: not while one writes, chooses in a menu or is asked something. */
export function isShortcut(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return false;
  // A dialog that has just opened need not have the focus yet.
  if (document.querySelector('[role=dialog]')) return false;
  return !(event.target instanceof Element && event.target.closest(WRITING));
}

/** What is focused has a use for Enter and Space itself. */
export const isPressable = ({ target }: KeyboardEvent): boolean =>
  target instanceof Element && target.closest('a, button, input, summary, [role=button], [role=tab], [role=switch]') !== null;
