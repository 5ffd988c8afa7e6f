import type { Frame } from '../../../web/platform.ts'

export type FrameSlot = {
  /** The live frame: opened when there is none, and again after it failed to open or the page removed it. */
  open(): Promise<Frame>
  /** Whether there is a frame, or one is being opened. */
  isOpen(): boolean
  /** Removes the frame, after `beforeRemoval` is done with it when it is ready. */
  close(beforeRemoval?: (frame: Frame) => Promise<unknown>): Promise<void>
}

export declare namespace createFrameSlot {
  /** Puts the frame into the page, where it is still wanted then. */
  type Parameters = (isWanted: () => boolean) => Promise<Frame>
  type ReturnType = FrameSlot
}

type Opening = { frame: Promise<Frame>; opened?: Frame; isReady: boolean }

/** Keeps one live frame at a time: two of them would share one element and one key. */
export function createFrameSlot(make: createFrameSlot.Parameters): createFrameSlot.ReturnType {
  let current: Opening | undefined
  let closed: Promise<void> = Promise.resolve()

  const start = async (self: () => Opening): Promise<Frame> => {
    // The frame before may still be deleting its key.
    await closed
    const opening = self()
    const frame = await make(() => current === opening)
    opening.opened = frame
    try {
      await frame.publicKey()
    } catch (error) {
      frame.close()
      throw error
    }
    opening.isReady = true
    return frame
  }

  return {
    open() {
      if (current?.opened && current.isReady && !current.opened.isAlive()) {
        current.opened.close()
        current = undefined
      }
      if (current) return current.frame
      const opening: Opening = { frame: start(() => opening), isReady: false }
      current = opening
      opening.frame.catch(() => {
        if (current === opening) current = undefined
      })
      return opening.frame
    },
    isOpen: () => current !== undefined,
    close(beforeRemoval) {
      const closing = current
      current = undefined
      const before = closed
      closed = (async () => {
        await before
        const frame = closing?.opened
        // Best effort: signing out must work when the frame does not.
        if (frame && closing?.isReady) await beforeRemoval?.(frame).catch(() => undefined)
        frame?.close()
      })()
      return closed
    },
  }
}
