/** What the ticks of an axis say: by the first of these forms in which no two say the same, else by the last. */
export function distinctLabels<Value>(values: readonly Value[], forms: readonly ((value: Value) => string)[]): string[] {
  let labels: string[] = [];
  for (const form of forms) {
    labels = values.map(form);
    if (new Set(labels).size === labels.length) return labels;
  }
  return labels;
}
