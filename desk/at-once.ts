// A few things at once.

/** Do something with each of many, at most `count` at once; end when all are done. */
export async function runAtOnce<T>(count: number, many: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const waiting = [...many];
  const worker = async (): Promise<void> => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      await act(one);
    }
  };
  await Promise.all(Array.from({ length: Math.min(count, many.length) }, worker));
}
