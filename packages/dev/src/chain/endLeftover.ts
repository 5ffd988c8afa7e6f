import { readFileSync, rmSync } from 'node:fs'
import { commandOf } from '../commandOf.ts'
import { DevError } from '../errors.ts'
import { isAlive, stopProcess } from '../stopProcess.ts'
import { readStateLabel, saveState, writeWhole } from './stateFile.ts'

/** Beside the state: which node works on it. */
const noteOf = (statePath: string): string => `${statePath}.node`

type Note = { pid: number; url: string }

/** Notes which node works on a state, so that one left over after we were killed is found again. */
export function noteNode(statePath: string, node: Note): void {
  writeWhole(noteOf(statePath), JSON.stringify(node))
}

export function forgetNode(statePath: string): void {
  rmSync(noteOf(statePath), { force: true })
}

/**
 * Ends the node that an earlier start left on this state because it was killed, and its guard with it, and keeps what
 * that node knew. The process must be the noted one and still show the state's path in its command line. The caller
 * holds the world's lock.
 */
export async function endLeftover(statePath: string): Promise<void> {
  const note = readNote(statePath)
  if (note && isAlive(note.pid) && commandOf(note.pid).includes(statePath)) {
    const label = readStateLabel(statePath)
    if (label) await saveState({ rpcUrl: note.url, path: statePath, label }).catch(() => undefined)
    const signals = [
      { signal: 'SIGTERM', waitMs: 3_000 },
      { signal: 'SIGKILL', waitMs: 2_000 },
    ] as const
    if (!(await stopProcess({ pid: note.pid, signals }))) {
      throw new DevError(`A chain (process ${note.pid}) still runs on ${statePath} and cannot be ended.`, {
        code: 'CONFIG_INVALID',
        hint: 'End it by hand, or choose another folder with --data-dir.',
      })
    }
  }
  forgetNode(statePath)
}

function readNote(statePath: string): Note | undefined {
  try {
    const { pid, url } = JSON.parse(readFileSync(noteOf(statePath), 'utf8')) as Partial<Note>
    if (typeof url !== 'string' || typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 1) return undefined
    return { pid, url }
  } catch {
    return undefined
  }
}
