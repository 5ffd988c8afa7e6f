const clock = Date.now
let behindMs = 0
// A server keeps the clock that it finds at its start, so the clock is replaced on import.
Date.now = () => clock() - behindMs

/**
 * Runs `work` while the clock of this process and its servers is behind by `ageMs`, so its records look that old
 * afterwards.
 */
export async function shiftClock<result>(ageMs: number, work: () => Promise<result>): Promise<result> {
  behindMs = ageMs
  try {
    return await work()
  } finally {
    behindMs = 0
  }
}
