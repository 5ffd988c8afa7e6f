export declare namespace createScheduler {
  type Options = {
    /** Units of work that may run at the same time. */
    total: number
    /** Units of one group. Use less than the total, so that no group can occupy all units. */
    perGroup: number
    /** Units of one member of a group. A member with the same name as its group gets the group's share. */
    perMember: number
    /** Requests that may wait at the same time. */
    waiting: { total?: number; perGroup?: number; perMember: number }
    /** Milliseconds that a request may wait. */
    waitMs: number
    /** Creates the error for a refused request. */
    refuse(): Error
  }
  type Request = {
    group: string
    /** Unique within the group. */
    member: string
    /**
     * Units that the work occupies. A request heavier than its member's share occupies the whole share.
     * @default 1
     */
    weight?: number | undefined
    /** Aborted when nobody waits for the result any longer. */
    signal?: AbortSignal | undefined
  }
  /** Runs `work` as soon as the shares allow it. */
  type ReturnType = <result>(request: Request, work: () => Promise<result>) => Promise<result>
}

type Entry = { weight: number; start(): void; giveUp(): void }
/** Requests of one member. `member` includes the name of its group. */
type Queue = { group: string; member: string; share: number; servedAt: number; waiting: Set<Entry> }
/** Queues by member, and counts of running and waiting requests in total (''), per group and per member. */
type State = { queues: Map<string, Queue>; running: Tally; waiting: Tally; served: number }

/**
 * Returns a fair scheduler. It chooses the group with the least running work, then that group's member with the least
 * running work, then the member served longest ago. A caller that floods the server thus delays only itself. A light
 * request never overtakes the next request, even if that one is heavy. At the waiting limit of a group or of the total,
 * the newest request of the longest queue is refused.
 */
export function createScheduler(options: createScheduler.Options): createScheduler.ReturnType {
  const state: State = { queues: new Map(), running: createTally(), waiting: createTally(), served: 0 }

  async function admit({ group, signal, ...request }: createScheduler.Request) {
    const member = JSON.stringify([group, request.member])
    const share = request.member === group ? options.perGroup : options.perMember
    const queue = state.queues.get(member) ?? { group, member, share, servedAt: 0, waiting: new Set<Entry>() }
    state.queues.set(member, queue)
    const weight = Math.min(request.weight ?? 1, share)
    const isFree = state.waiting.read('') === 0 && fits(state, options, queue, weight)
    if (isFree && hasCapacity(state, options, weight)) enter(state, queue, weight)
    else await enqueue(state, options, queue, { weight, signal })
    return () => {
      for (const name of ['', group, member]) state.running.add(name, -weight)
      startNext(state, options)
      dropEmpty(state, queue)
    }
  }

  return async (request, work) => {
    const leave = await admit(request)
    try {
      return await work()
    } finally {
      leave()
    }
  }
}

function fits(
  { running }: State,
  { perGroup }: createScheduler.Options,
  { group, member, share }: Queue,
  weight: number,
): boolean {
  return running.read(group) + weight <= perGroup && running.read(member) + weight <= share
}

function hasCapacity({ running }: State, { total }: createScheduler.Options, weight: number): boolean {
  return running.read('') + weight <= total
}

function enter(state: State, queue: Queue, weight: number): void {
  queue.servedAt = ++state.served
  for (const name of ['', queue.group, queue.member]) state.running.add(name, weight)
}

function dropEmpty({ queues, running }: State, queue: Queue): void {
  if (running.read(queue.member) === 0 && queue.waiting.size === 0) queues.delete(queue.member)
}

function startNext(state: State, options: createScheduler.Options): void {
  for (;;) {
    let best: Queue | undefined
    for (const queue of state.queues.values()) {
      const [next] = queue.waiting
      if (next && fits(state, options, queue, next.weight) && (!best || comesBefore(state, queue, best))) best = queue
    }
    const [next] = best?.waiting ?? []
    if (!next || !hasCapacity(state, options, next.weight)) return
    next.start()
  }
}

function comesBefore({ running }: State, one: Queue, other: Queue): boolean {
  const lead = (level: 'group' | 'member') => running.read(one[level]) - running.read(other[level])
  return (lead('group') || lead('member') || one.servedAt - other.servedAt) < 0
}

type Waiter = { weight: number; signal: AbortSignal | undefined }

function enqueue(
  state: State,
  options: createScheduler.Options,
  queue: Queue,
  { weight, signal }: Waiter,
): Promise<void> {
  if (signal?.aborted || !makeSpace(state, options, queue)) {
    dropEmpty(state, queue)
    return Promise.reject(options.refuse())
  }
  const names = ['', queue.group, queue.member]
  let settle: { resolve(): void; reject(error: Error): void } | undefined
  const promise = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject }
  })
  function end() {
    clearTimeout(timer)
    signal?.removeEventListener('abort', giveUp)
    queue.waiting.delete(entry)
    for (const name of names) state.waiting.add(name, -1)
  }
  function giveUp() {
    end()
    dropEmpty(state, queue)
    settle?.reject(options.refuse())
    // Lighter requests that were queued behind this one may fit now.
    startNext(state, options)
  }
  const entry: Entry = {
    weight,
    giveUp,
    start() {
      end()
      enter(state, queue, weight)
      settle?.resolve()
    },
  }
  const timer = setTimeout(giveUp, options.waitMs)
  signal?.addEventListener('abort', giveUp)
  queue.waiting.add(entry)
  for (const name of names) state.waiting.add(name, 1)
  startNext(state, options)
  return promise
}

/**
 * Returns whether one more request may wait in a queue. If necessary, first refuses the newest request of a longer
 * queue.
 */
function makeSpace(state: State, { waiting: limits }: createScheduler.Options, queue: Queue): boolean {
  const { queues, waiting } = state
  const { total = Infinity, perGroup = Infinity, perMember } = limits
  if (waiting.read(queue.member) >= perMember) return false
  const isGroupFull = waiting.read(queue.group) >= perGroup
  if (!isGroupFull && waiting.read('') < total) return true
  let longest = queue
  for (const other of queues.values())
    if ((!isGroupFull || other.group === queue.group) && other.waiting.size > longest.waiting.size) longest = other
  if (longest === queue) return false
  const newest = [...longest.waiting].at(-1)
  newest?.giveUp()
  return true
}

type Tally = ReturnType<typeof createTally>

/** Returns sums by name. Names with the sum zero use no memory. */
function createTally() {
  const sums = new Map<string, number>()
  return {
    read: (name: string) => sums.get(name) ?? 0,
    add(name: string, change: number) {
      const sum = (sums.get(name) ?? 0) + change
      if (sum === 0) sums.delete(name)
      else sums.set(name, sum)
    },
  }
}
