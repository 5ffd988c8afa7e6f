const clock = Date.now
let behindMs = 0
// Replaced on import, because a server uses the `Date.now` that it finds when it starts.
Date.now = () => clock() - behindMs

/**
 * Runs `work` while the clock of this process and its servers is `ageMs` behind. Records that `work` creates are then
 * `ageMs` old.
 */
export async function shiftClock<result>(ageMs: number, work: () => Promise<result>): Promise<result> {
  behindMs = ageMs
  try {
    return await work()
  } finally {
    behindMs = 0
  }
}
