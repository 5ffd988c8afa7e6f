import type { ServerError } from '../platform/errors/ServerError.ts'
import { tooManyAtOnce } from './custodyError.ts'

/** Whose turn it is: a project's users share what it has, and an organization's requests what that has. */
export type Share = {
  /** The parent organization. */
  project: string
  organization: string
}

export declare namespace createFairQueue {
  type Options = {
    /** Requests at a time. */
    total: number
    /** Of one project; below the total, so that no project has all. */
    perProject: number
    /** Of one organization; a parent, which acts for all its users, has the project's. */
    perOrganization: number
    /** Requests of one organization that may wait. */
    maxWaiting: number
    /** How long one may wait. */
    waitMs: number
  }
  /** Runs `work` when it is the turn of its organization. */
  type ReturnType = <result>(share: Share, work: () => Promise<result>) => Promise<result>
  type ErrorType = ServerError
}

type Waiting = { start(): void; isOver: boolean }
type Line = { share: Share; running: number; servedAt: number; waiting: Waiting[] }

/**
 * Lets requests in by turns: of those that wait, the organization that has least at work goes first, and among equals
 * the one that waited longest. However many requests one organization sends, another's waits for a few of them only.
 *
 * @throws `RATE_LIMIT_EXCEEDED` (429), for an organization with too many requests at once.
 */
export function createFairQueue(options: createFairQueue.Options): createFairQueue.ReturnType {
  const lines = new Map<string, Line>()
  const projects = new Map<string, number>()
  let running = 0
  let turn = 0

  function mayStart({ share, running: own }: Line): boolean {
    const isParent = share.organization === share.project
    return (
      running < options.total &&
      (projects.get(share.project) ?? 0) < options.perProject &&
      own < (isParent ? options.perProject : options.perOrganization)
    )
  }

  /** Who has least at work, then who was served longest ago. */
  function comesBefore(one: Line, other: Line): boolean {
    const ofProject = (line: Line) => projects.get(line.share.project) ?? 0
    const lead = ofProject(one) - ofProject(other) || one.running - other.running || one.servedAt - other.servedAt
    return lead < 0
  }

  function startNext(): void {
    let best: Line | undefined
    for (const line of lines.values()) {
      line.waiting = line.waiting.filter(({ isOver }) => !isOver)
      if (line.waiting.length === 0 || !mayStart(line)) continue
      if (!best || comesBefore(line, best)) best = line
    }
    best?.waiting.shift()?.start()
  }

  function enter(line: Line): void {
    running++
    line.running++
    line.servedAt = ++turn
    projects.set(line.share.project, (projects.get(line.share.project) ?? 0) + 1)
  }

  function leave(line: Line): void {
    const { project, organization } = line.share
    running--
    line.running--
    const left = (projects.get(project) ?? 1) - 1
    if (left > 0) projects.set(project, left)
    else projects.delete(project)
    if (line.running === 0 && line.waiting.length === 0) lines.delete(organization)
    startNext()
  }

  return async (share, work) => {
    const line = lines.get(share.organization) ?? { share, running: 0, servedAt: 0, waiting: [] }
    lines.set(share.organization, line)
    if (line.waiting.length === 0 && mayStart(line)) enter(line)
    else await waitInLine(line, options, () => enter(line))
    try {
      return await work()
    } finally {
      leave(line)
    }
  }
}

/** Waits at the end of a line. `enter` runs when the turn has come. */
function waitInLine(
  line: Line,
  { maxWaiting, waitMs }: Pick<createFairQueue.Options, 'maxWaiting' | 'waitMs'>,
  enter: () => void,
): Promise<void> {
  if (line.waiting.length >= maxWaiting) return Promise.reject(tooManyAtOnce())
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      waiting.isOver = true
      reject(tooManyAtOnce())
    }, waitMs)
    const waiting: Waiting = {
      isOver: false,
      start() {
        clearTimeout(timer)
        enter()
        resolve()
      },
    }
    line.waiting.push(waiting)
  })
}
