// What several copies of this library in one page must agree on is kept on the page itself.

const key = Symbol.for('latchkey.frameKeys')

type Owners = Map<string, object>

function readOwners(): Owners {
  const page = window as Window & { [key]?: Owners }
  page[key] ??= new Map()
  return page[key]
}

/** See `Platform`. */
export function claimFrameKey(origin: string, owner: object): boolean {
  const owners = readOwners()
  const holder = owners.get(origin)
  if (holder !== undefined && holder !== owner) return false
  owners.set(origin, owner)
  return true
}

/** See `Platform`. */
export function releaseFrameKeys(owner: object): void {
  const owners = readOwners()
  for (const [origin, holder] of owners) if (holder === owner) owners.delete(origin)
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
