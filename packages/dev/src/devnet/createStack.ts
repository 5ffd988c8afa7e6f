export declare namespace createStack {
  type ReturnType = {
    /** Adds a part. Higher levels are closed first; parts of a level all at once. */
    add(level: number, close: () => Promise<void>): Promise<void>
    isClosing(): boolean
    /** Closes everything, once. A part added later is closed at once. Errors are ignored. */
    close(): Promise<void>
  }
}

/** Returns a stack of cleanups that run whether the start succeeds or fails. */
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
