import { setImmediate } from 'node:timers/promises'

const maxBatch = 64

/**
 * Batches lookups: keys requested in one turn of the event loop, or during a lookup, are part of the next one. `load`
 * returns one value per key, in order; if it fails, every key of its batch fails.
 */
export function createBatcher<key, value>(
  load: (keys: readonly key[]) => Promise<readonly value[]>,
): (key: key) => Promise<value> {
  type Pending = { key: key; resolve(value: value): void; reject(error: unknown): void }
  const queue: Pending[] = []
  let isBusy = false

  async function drain(): Promise<void> {
    isBusy = true
    while (queue.length > 0) {
      // Lookups of the same turn of the event loop share one query.
      await setImmediate()
      const batch = queue.splice(0, maxBatch)
      try {
        const values = await load(batch.map(({ key }) => key))
        for (const [index, { resolve }] of batch.entries()) resolve(values[index] as value)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    isBusy = false
  }

  return (key) =>
    new Promise((resolve, reject) => {
      queue.push({ key, resolve, reject })
      if (!isBusy) void drain()
    })
}
