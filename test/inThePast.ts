const clock = Date.now
let behindMs = 0
// Replaced on import: a server keeps the clock that it finds when it starts.
Date.now = () => clock() - behindMs

/**
 * Runs `work` while the clock of this process, and so of the servers in it, is behind by `ageMs`: what they write down is
 * that old afterwards.
 */
export async function inThePast<result>(ageMs: number, work: () => Promise<result>): Promise<result> {
  behindMs = ageMs
  try {
    return await work()
  } finally {
    behindMs = 0
  }
}
