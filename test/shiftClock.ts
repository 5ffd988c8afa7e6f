const clock = Date.now
let behindMs = 0
// Replaced on import, because a server keeps the `Date.now` that it finds at its start.
Date.now = () => clock() - behindMs

/**
 * Runs `work` while the clock of this process and its servers is behind by `ageMs`, so that created records look that
 * old afterwards.
 */
export async function shiftClock<result>(ageMs: number, work: () => Promise<result>): Promise<result> {
  behindMs = ageMs
  try {
    return await work()
  } finally {
    behindMs = 0
  }
}
