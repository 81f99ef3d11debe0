/** Removes up to `most` rows at a time until fewer are found, and yields each number. The caller may stop after any. */
export async function* inBatches(most: number, remove: (most: number) => Promise<number>): AsyncGenerator<number> {
  for (;;) {
    const removed = await remove(most);
    yield removed;
    if (removed < most) return;
  }
}
