export declare namespace createStack {
  type ReturnType = {
    /** Adds a cleanup. Higher levels run first; cleanups of the same level run in parallel. */
    add(level: number, close: () => Promise<void>): Promise<void>
    isClosing(): boolean
    /** Runs all cleanups once and ignores errors. A cleanup that is added later runs immediately. */
    close(): Promise<void>
  }
}

/** Creates a stack of cleanups for both a failed start and the end of the devnet. */
export function createStack(): createStack.ReturnType {
  const parts: { level: number; close: () => Promise<void> }[] = []
  let closing: Promise<void> | undefined
  async function closeAll(): Promise<void> {
    const levels = [...new Set(parts.map(({ level }) => level))].sort((a, b) => b - a)
    for (const level of levels) {
      const members = parts.filter((part) => part.level === level)
      await Promise.allSettled(members.map((part) => part.close()))
    }
  }
  return {
    async add(level, close) {
      if (closing) await close().catch(() => undefined)
      else parts.push({ level, close })
    },
    isClosing: () => closing !== undefined,
    close() {
      closing ??= closeAll()
      return closing
    },
  }
}
