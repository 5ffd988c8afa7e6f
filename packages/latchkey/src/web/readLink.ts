import { linkParameters } from 'latchkey-protocol'
import type { Link } from './platform.ts'

/**
 * Reads the data of an e-mail link (`bundle`, `orgId`, `aa-is-signup`) or of an identity provider's answer
 * (`latchkey-oauth`) from the page's address and removes them there, so
 * that neither a bookmark nor a referrer leaks a bundle. The app's own parameters, hash and history state stay; an
 * `orgId` without a `bundle` is the app's own.
 */
export function readLink(): Link | null {
  const address = window.location.href
  const url = new URL(address)
  const query = url.searchParams
  const oauth = query.get(linkParameters.oauth)
  const bundle = query.get(linkParameters.bundle) || oauth || undefined
  const isSignup = query.get(linkParameters.isSignup) === 'true'
  if (bundle === undefined && !query.has(linkParameters.isSignup)) return null
  const orgId = bundle === undefined ? undefined : query.get(linkParameters.orgId) || undefined
  const ours = new Set<string>([linkParameters.isSignup])
  if (bundle !== undefined) ours.add(linkParameters.bundle).add(linkParameters.orgId).add(linkParameters.oauth)
  url.search = withoutParameters(url.search, ours)
  window.history.replaceState(window.history.state, '', url)
  return { bundle, orgId, isSignup, address, isOauth: bundle === oauth }
}

/** Reloads the page, at the address of an e-mail link if it must be read again. */
export function reloadAt(address: string | undefined): void {
  if (address) window.history.replaceState(window.history.state, '', address)
  window.location.reload()
}

/** Edits the text, because `URLSearchParams` would re-encode other parameters. */
function withoutParameters(search: string, names: ReadonlySet<string>): string {
  const kept = search
    .slice(1)
    .split('&')
    .filter((part) => part !== '' && !names.has(new URLSearchParams(part).keys().next().value ?? ''))
  return kept.length > 0 ? `?${kept.join('&')}` : ''
}
