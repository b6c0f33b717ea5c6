/** Work that goes on behind the back of what comes next, a few pieces at a time. */

export interface Behind {
  /** Begins the work, when there is room. Throws what an earlier piece threw. */
  add(work: () => Promise<void>): Promise<void>
  /** Resolves when all is done. Throws what a piece threw. */
  done(): Promise<void>
}

/** Gives or throws what `ahead` does, and never before everything behind it is done. */
export async function withBehind<Result>(
  atOnce: number,
  ahead: (behind: Behind) => Promise<Result>,
): Promise<Result> {
  const running = new Set<Promise<void>>()
  let failed: { readonly error: unknown } | undefined
  const throwFailure = () => {
    if (failed !== undefined) throw failed.error
  }
  const behind: Behind = {
    async add(work) {
      while (running.size >= atOnce) await Promise.race(running)
      throwFailure()
      const piece: Promise<void> = work()
        .catch((error: unknown) => {
          failed ??= { error }
        })
        .finally(() => running.delete(piece))
      running.add(piece)
    },
    async done() {
      await Promise.all(running)
      throwFailure()
    },
  }
  try {
    const result = await ahead(behind)
    await behind.done()
    return result
  } finally {
    await Promise.all(running)
  }
}
