/** Many at once, and no more than so many. */

/**
 * Does the work for every item, `limit` at a time; the results are in the order of the items. When one throws, no further
 * one is begun, those under way are finished, and what was thrown first is thrown.
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const failures: unknown[] = []
  const entries = items.entries()
  const worker = async () => {
    for (const [index, item] of entries) {
      if (failures.length > 0) return
      try {
        results[index] = await work(item)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker))
  if (failures.length > 0) throw failures[0]
  return results
}
