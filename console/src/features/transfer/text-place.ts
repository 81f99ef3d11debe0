/** A field of several lines, as the design system hands it out. */
export interface TextField {
  resizableTextArea?: { textArea: HTMLTextAreaElement };
}

/** Selects what is left of a line from a column on (both from 1), and brings it into sight. */
export function goToPlace(field: TextField | null, text: string, line: number, column: number): void {
  const element = field?.resizableTextArea?.textArea;
  if (!element) return;
  const lines = text.split('\n');
  const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  element.focus();
  element.setSelectionRange(start + column - 1, start + (lines[line - 1]?.length ?? 0));
  element.scrollTop = Math.max(0, (line - 4) * Number.parseFloat(getComputedStyle(element).lineHeight));
}
