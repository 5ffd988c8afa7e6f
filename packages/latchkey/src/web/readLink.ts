import { linkParameters } from 'latchkey-protocol'
import { fallbackStorage } from '../core/storage/fallbackStorage.ts'
import type { Link } from './platform.ts'

const keptKey = 'latchkey:link'
const tabStorage = () => fallbackStorage(() => window.sessionStorage)

/**
 * Reads the data of an e-mail link (`bundle`, `orgId`, `aa-is-signup`) or an identity provider's response
 * (`latchkey-oauth`) from the page's URL. Removes this data from the URL, so that bookmarks and referrers leak no
 * bundle. Does not change the app's own parameters, including an `orgId` without a `bundle`, the hash and the history
 * state. Without a link in the URL, returns the link that `keepLink` has stored.
 */
export function readLink(): Link | null {
  const url = new URL(window.location.href)
  const link = parseLink(url.search)
  const storage = tabStorage()
  const kept = storage.getItem(keptKey)
  storage.removeItem(keptKey)
  if (!link) return parseLink(kept ?? '')
  const ours = new Set<string>([linkParameters.isSignup])
  if (link.bundle !== undefined) ours.add(linkParameters.bundle).add(linkParameters.orgId).add(linkParameters.oauth)
  url.search = withoutParameters(url.search, ours)
  window.history.replaceState(window.history.state, '', url)
  return link
}

/**
 * Stores the link that `unused` returns whenever the page is left, so that the tab can read it after a reload. The
 * bundle stays encrypted to a key of the auth frame. Returns an unsubscribe function.
 */
export function keepLink(unused: () => Link | null): () => void {
  const keep = () => {
    const link = unused()
    if (link) tabStorage().setItem(keptKey, link.query ?? '')
    else tabStorage().removeItem(keptKey)
  }
  window.addEventListener('pagehide', keep)
  return () => window.removeEventListener('pagehide', keep)
}

function parseLink(query: string): Link | null {
  const values = new URLSearchParams(query)
  const oauth = values.get(linkParameters.oauth)
  const bundle = values.get(linkParameters.bundle) || oauth || undefined
  if (bundle === undefined && !values.has(linkParameters.isSignup)) return null
  const orgId = bundle === undefined ? undefined : values.get(linkParameters.orgId) || undefined
  const isSignup = values.get(linkParameters.isSignup) === 'true'
  return { bundle, orgId, isSignup, query, isOauth: bundle === oauth }
}

/** Removes parameters from the text, because `URLSearchParams` would re-encode the others. */
function withoutParameters(search: string, names: ReadonlySet<string>): string {
  const kept = search
    .slice(1)
    .split('&')
    .filter((part) => part !== '' && !names.has(new URLSearchParams(part).keys().next().value ?? ''))
  return kept.length > 0 ? `?${kept.join('&')}` : ''
}
