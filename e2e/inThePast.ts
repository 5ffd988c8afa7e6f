const clock = Date.now
let behindMs = 0
// At once: a server keeps the clock that it finds when it starts.
Date.now = () => clock() - behindMs

/**
 * Does something while the clock of this process, and so of the servers in it, is behind by so many milliseconds: what
 * they write down meanwhile is that old afterwards.
 */
export async function inThePast<result>(ageMs: number, work: () => Promise<result>): Promise<result> {
  behindMs = ageMs
  try {
    return await work()
  } finally {
    behindMs = 0
  }
}
