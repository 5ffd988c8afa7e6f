import type { OutboxPort, OutboxRecord } from './OutboxPort.ts'

/**
 * Creates an outbox that lasts as long as the process: for scripts and servers that send one account's operations in
 * order.
 *
 * @example
 * ```ts
 * import { createSmartAccountClient, memoryOutbox } from 'latchkey'
 * import { account, bundlerTransport } from './config.ts'
 *
 * const client = createSmartAccountClient({ account, transport: bundlerTransport, outbox: { store: memoryOutbox() } })
 * console.log(await client.listOperations())
 * ```
 */
export function memoryOutbox(): OutboxPort {
  const records = new Map<string, OutboxRecord>()
  const listeners = new Set<(owner: string) => void>()
  const notify = (owner: string) => {
    for (const listener of listeners) queueMicrotask(() => listener(owner))
  }
  const keep = (record: OutboxRecord) => {
    records.set(`${record.owner} ${record.id}`, structuredClone(record))
    notify(record.owner)
  }
  return {
    open: async () => {},
    list: async (owner) =>
      [...records.values()].filter((each) => each.owner === owner).map((each) => structuredClone(each)),
    add: async (record) => keep(record),
    async update(owner, id, change) {
      const known = records.get(`${owner} ${id}`)
      const next = known && change(structuredClone(known))
      if (!known || next === undefined) return known && structuredClone(known)
      if (next) {
        keep(next)
        return structuredClone(next)
      }
      records.delete(`${owner} ${id}`)
      notify(owner)
      return undefined
    },
    ...memoryLocks(),
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

function memoryLocks(): Pick<OutboxPort, 'hold' | 'holdIfFree'> {
  const last = new Map<string, Promise<void>>()
  const holders = new Map<string, object>()
  const hold: OutboxPort['hold'] = async (name, waitMs, work) => {
    const before = last.get(name)
    const me = {}
    let release = () => {}
    // Settles when this caller's own work ends. The next caller waits only for this promise.
    const mine = new Promise<void>((resolve) => {
      release = resolve
    })
    last.set(name, mine)
    if (before) await waitAtMost(before, waitMs)
    holders.set(name, me)
    try {
      return await work({ isHeld: () => holders.get(name) === me })
    } finally {
      if (holders.get(name) === me) holders.delete(name)
      if (last.get(name) === mine) last.delete(name)
      release()
    }
  }
  return {
    hold,
    holdIfFree: async (name, work) => (last.has(name) ? undefined : hold(name, 0, work)),
  }
}

async function waitAtMost(end: Promise<void>, ms: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([end, late])
  clearTimeout(timer)
}
