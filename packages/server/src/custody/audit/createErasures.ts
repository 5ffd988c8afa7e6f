import { z } from 'zod'
import type { StoredActivity } from '../activities/storedActivity.ts'
import { eraseActivities, type LogEntry, type LogProblem } from './logEntry.ts'

const intentSchema = z.object({
  eraseActivitiesIntent: z.object({ activityIds: z.array(z.string().toLowerCase()).optional() }),
})

/** Compares the erased entries of a log chain with the erasures that its activities record. */
type Erasures = {
  /** Adds an entry and its genuine activity, in log order. */
  add(entry: LogEntry, activity: Pick<StoredActivity, 'type' | 'status' | 'intent'>): void
  count(): number
  /** Returns the first entry that was erased without an erasure activity, or that was restored after one. */
  findProblem(): LogProblem | undefined
}

export function createErasures(): Erasures {
  const erased = new Map<string, string>()
  const named = new Map<string, string>()
  const kept = new Map<string, string>()
  /** Sequence number of the last erasure of the whole chain. */
  let whole = 0

  return {
    add({ seq, activity_id, content_digest }, { type, status, intent }) {
      if (content_digest === null) kept.set(activity_id, seq)
      else erased.set(activity_id, seq)
      if (type !== eraseActivities || status !== 'ACTIVITY_STATUS_COMPLETED') return
      const { activityIds } = intentSchema.safeParse(intent).data?.eraseActivitiesIntent ?? { activityIds: [] }
      if (!activityIds) whole = Number(seq)
      for (const id of activityIds ?? []) named.set(id, seq)
    },
    count: () => erased.size,
    findProblem() {
      const isErased = (id: string, seq: string) => Number(seq) < whole || Number(seq) < Number(named.get(id) ?? 0)
      for (const [id, seq] of erased)
        if (!isErased(id, seq)) return { seq, problem: 'Its content was erased, and no activity of custody did that.' }
      for (const [id, seq] of kept)
        if (isErased(id, seq)) return { seq, problem: 'Its content, which custody erased, is there again.' }
      return undefined
    },
  }
}
