import type { Succession } from './platform.ts'

// A global symbol, because several copies of this library in one page share this state.

const key = Symbol.for('latchkey.frameKeys')

type Owners = Map<string, { owner: object; succession: Succession | undefined }>

function readOwners(): Owners {
  const page = window as Window & { [key]?: Owners }
  page[key] ??= new Map()
  return page[key]
}

/** Implements `Platform.claimFrameKey`. */
export function claimFrameKey(origin: string, owner: object, succession?: Succession): boolean {
  const owners = readOwners()
  const holder = owners.get(origin)
  if (holder !== undefined && holder.owner !== owner && !isSuperseded(holder.succession, succession)) return false
  owners.set(origin, { owner, succession })
  return true
}

function isSuperseded(holder: Succession | undefined, next: Succession | undefined): boolean {
  return holder !== undefined && holder.session === next?.session && holder.giveWay()
}

/** Implements `Platform.releaseFrameKeys`. */
export function releaseFrameKeys(owner: object): void {
  const owners = readOwners()
  for (const [origin, holder] of owners) if (holder.owner === owner) owners.delete(origin)
}

/** Implements `Platform.onReturn`. */
export function onReturn(listener: () => void): () => void {
  const onChange = () => {
    if (document.visibilityState === 'visible') listener()
  }
  window.addEventListener('focus', onChange)
  document.addEventListener('visibilitychange', onChange)
  return () => {
    window.removeEventListener('focus', onChange)
    document.removeEventListener('visibilitychange', onChange)
  }
}
