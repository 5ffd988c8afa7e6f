import type { Succession } from './platform.ts'

// What several copies of this library in one page must agree on is kept on the page itself.

const key = Symbol.for('latchkey.frameKeys')

type Owners = Map<string, { owner: object; succession: Succession | undefined }>

function readOwners(): Owners {
  const page = window as Window & { [key]?: Owners }
  page[key] ??= new Map()
  return page[key]
}

/** See `Platform`. */
export function claimFrameKey(origin: string, owner: object, succession?: Succession): boolean {
  const owners = readOwners()
  const holder = owners.get(origin)
  if (holder !== undefined && holder.owner !== owner && !givesWay(holder.succession, succession)) return false
  owners.set(origin, { owner, succession })
  return true
}

function givesWay(holder: Succession | undefined, next: Succession | undefined): boolean {
  return holder !== undefined && holder.session === next?.session && holder.giveWay()
}

/** See `Platform`. */
export function releaseFrameKeys(owner: object): void {
  const owners = readOwners()
  for (const [origin, holder] of owners) if (holder.owner === owner) owners.delete(origin)
}

/** See `Platform`. */
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
