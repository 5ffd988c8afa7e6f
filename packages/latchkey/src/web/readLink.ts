import { linkParameters } from 'latchkey-protocol'
import type { Link } from './platform.ts'

/**
 * Reads what a mail link left in the page's address (`bundle`, `orgId`, `aa-is-signup`) and removes it there, so that
 * neither a bookmark nor a referrer carries a bundle away. The app's own parameters, hash and history state stay; an
 * `orgId` without a `bundle` is the app's own.
 */
export function readLink(): Link | null {
  const address = window.location.href
  const url = new URL(address)
  const query = url.searchParams
  const bundle = query.get(linkParameters.bundle) || undefined
  const isSignup = query.get(linkParameters.isSignup) === 'true'
  if (bundle === undefined && !query.has(linkParameters.isSignup)) return null
  const orgId = bundle === undefined ? undefined : query.get(linkParameters.orgId) || undefined
  const ours = new Set<string>([linkParameters.isSignup])
  if (bundle !== undefined) ours.add(linkParameters.bundle).add(linkParameters.orgId)
  url.search = withoutParameters(url.search, ours)
  window.history.replaceState(window.history.state, '', url)
  return { bundle, orgId, isSignup, address }
}

/** Loads the page again: where a mail link had led to, if that is to be read once more. */
export function reloadAt(address: string | undefined): void {
  if (address) window.history.replaceState(window.history.state, '', address)
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
