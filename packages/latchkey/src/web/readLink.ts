import { linkParameters } from '../wire/linkParameters.ts'
import type { Link } from './platform.ts'

/**
 * Reads what a mail link left in the page's address (`bundle`, `orgId`, `aa-is-signup`) and removes it there, so that
 * neither a bookmark nor a referrer carries a bundle away. The app's own parameters, hash and history state stay; an
 * `orgId` without a `bundle` is the app's own.
 */
export function readLink(): Link | null {
  const url = new URL(window.location.href)
  const query = url.searchParams
  const bundle = query.get(linkParameters.bundle) || undefined
  const isSignup = query.get(linkParameters.isSignup) === 'true'
  if (bundle === undefined && !query.has(linkParameters.isSignup)) return null
  const orgId = bundle === undefined ? undefined : query.get(linkParameters.orgId) || undefined
  const ours = new Set<string>([linkParameters.isSignup])
  if (bundle !== undefined) ours.add(linkParameters.bundle).add(linkParameters.orgId)
  url.search = withoutParameters(url.search, ours)
  window.history.replaceState(window.history.state, '', url)
  return { bundle, orgId, isSignup }
}

/** Puts back into the address what `readLink` removed there, and loads the page again. */
export function reload(link: Link | null): void {
  if (link) {
    const { bundle, orgId, isSignup } = link
    const url = new URL(window.location.href)
    const ours = new URLSearchParams({
      ...(bundle && { [linkParameters.bundle]: bundle }),
      ...(orgId && { [linkParameters.orgId]: orgId }),
      [linkParameters.isSignup]: String(isSignup),
    })
    url.search += `${url.search && '&'}${ours}`
    window.history.replaceState(window.history.state, '', url)
  }
  window.location.reload()
}

/** Text surgery, because `URLSearchParams` would re-encode parameters that are not ours. */
function withoutParameters(search: string, names: ReadonlySet<string>): string {
  const kept = search
    .slice(1)
    .split('&')
    .filter((part) => part !== '' && !names.has(new URLSearchParams(part).keys().next().value ?? ''))
  return kept.length > 0 ? `?${kept.join('&')}` : ''
}
