import { fileURLToPath } from 'node:url'
import { p256 } from '@noble/curves/nist.js'
import { Hono } from 'hono'
import {
  confirmationPagePath,
  frameProjectParameter,
  oauthPagePath,
  paperKeyPagePath,
  signingPagePath,
} from 'latchkey-protocol'
import { derive } from '../platform/derive.ts'
import { configInvalid } from '../platform/errors/ServerError.ts'
import { errorResponse } from '../platform/http/errorResponse.ts'
import { assetResponse, type PageFile, readPages } from '../platform/http/pageFiles.ts'
import { readBody } from '../platform/http/requestBody.ts'
import { type Logger, silentLogger } from '../platform/observability/logger.ts'
import { measureRequests } from '../platform/observability/metrics.ts'
import { toProjectRow, type upsertProject } from '../store/upsertProject.ts'
import { assetHeaders, confirmationHeaders, frameHeaders } from './frameHeaders.ts'

/** The path has the same depth from `src/frames` and from `dist/frames`. */
const builtPages = (page: FramePage | 'confirm' | 'export-and-sign' | 'oauth' | 'paper-key') =>
  fileURLToPath(new URL(`../../pages/${page}`, import.meta.url))
/** Placeholder in a meta element of every page, filled in with the origins that may embed the frames. */
const originsPlaceholder = '__PARENT_ORIGINS__'
/** Placeholder in a meta element of the pages that open bundles, filled in with the key whose bundles they trust. */
const signingKeyPlaceholder = '__BUNDLE_SIGNING_KEY__'
/** Placeholder in a meta element of the confirmation page, filled in with custody's URL. */
const custodyPlaceholder = '__CUSTODY_URL__'
/** Placeholder in a meta element of the confirmation page, filled in with the gateway's URL, if there is one. */
const gatewayPlaceholder = '__GATEWAY_URL__'

export type FramePage = 'auth' | 'export' | 'import'

export declare namespace framesApp {
  type Deps = {
    /**
     * Projects whose pages may embed the frame; read at each request. They come only from the configuration. Otherwise,
     * database write access would suffice to have a session key sign for another page.
     */
    projects: readonly upsertProject.Parameters[]
    logger?: Logger | undefined
    /**
     * Frame page served on this origin. Each frame needs its own origin, so that frames share no browser storage.
     * @default 'auth'
     */
    page?: FramePage | undefined
    /** Key that signs bundles, for the export, import and confirmation pages: uncompressed P-256 point, 130 hex digits. */
    bundleSigningPublicKey?: string | undefined
    /** Custody's URL for browsers. If set, the auth frame's origin also serves the confirmation page. */
    custodyUrl?: string | undefined
    /** Gateway's URL for browsers, which the confirmation page asks for predictions. @default no predictions */
    gatewayUrl?: string | undefined
    /** Folder of the built page. @default the folder in this package */
    pagesDir?: string | undefined
  }
  type ReturnType = Hono
}

/**
 * Returns the frames role, which serves the files of one frame on its own origin. The project in the URL
 * (`?project=<id>`) determines which origins may embed the page; without a project, all projects' origins may. The page
 * contains these origins, and the export and import pages also contain the key that signs bundles.
 *
 * @throws `CONFIG_INVALID` if the page is not built or would have no key to trust.
 */
export function framesApp(deps: framesApp.Deps): framesApp.ReturnType {
  const logger = deps.logger ?? silentLogger
  const name = deps.page ?? 'auth'
  const files = readPages(deps.pagesDir ?? builtPages(name))
  const readOrigins = createOriginReader(deps)
  // Checks the configured projects at the start.
  readOrigins()
  const signingKey = name === 'auth' ? '' : requireSigningKey(deps, name, files.get('/index.html'))

  const app = new Hono()
  app.use('*', measureRequests('frames'))
  if (deps.custodyUrl !== undefined && name === 'auth') app.route('/', confirmationApp(deps, deps.custodyUrl))
  if (name === 'auth') app.route('/', oauthApp(readOrigins))
  if (name === 'export') {
    app.route('/', siblingApp('export-and-sign', signingPagePath, createOriginReader(deps, isSigning), signingKey))
    app.route('/', siblingApp('paper-key', paperKeyPagePath, readOrigins, signingKey))
  }
  app.get('*', (context) => {
    const path = context.req.path.endsWith('/') ? `${context.req.path}index.html` : context.req.path
    const file = files.get(path)
    if (!file) return context.notFound()
    if (!path.endsWith('.html'))
      return assetResponse(file, { path, asked: context.req.raw.headers, headers: assetHeaders })
    const parentOrigins = readOrigins().of(context.req.query(frameProjectParameter))
    return parentOrigins ? page(file, parentOrigins, signingKey) : context.notFound()
  })
  // Sets the content type, since the `Response` of Node's listener adds none to custom headers.
  const notFoundHeaders = { ...frameHeaders([]), 'content-type': 'text/plain; charset=utf-8' }
  app.notFound(() => new Response('Not found', { status: 404, headers: notFoundHeaders }))
  app.onError((error, context) => errorResponse(context, error, { logger }))
  return app
}

type OriginReader = () => {
  /** Whether no project is configured. */
  isEmpty: boolean
  /** Returns the origins of one project, or of all projects without an id; undefined for an unknown id. */
  of(projectId: string | undefined): readonly string[] | undefined
}

function createOriginReader(
  deps: Pick<framesApp.Deps, 'projects'>,
  isServed: (project: upsertProject.Parameters) => boolean = () => true,
): OriginReader {
  return derive(
    () => deps.projects,
    (projects) => {
      const origins = new Map(
        projects.filter(isServed).map((project) => [project.id, toProjectRow(project).allowed_origins]),
      )
      const every = [...new Set([...origins.values()].flat())]
      return { isEmpty: origins.size === 0, of: (id) => (id === undefined ? every : origins.get(id)) }
    },
  )
}

/**
 * Serves the confirmation page, which custody's e-mails link to, below its own path. The page has no parent and is
 * never cached. It shows exports, so it contains the key that signs bundles.
 */
function confirmationApp(deps: framesApp.Deps, custodyUrl: string): Hono {
  const files = readPages(builtPages('confirm'))
  const signingKey = requireSigningKey(deps, 'auth', files.get('/index.html'))
  const headers = confirmationHeaders([custodyUrl, ...(deps.gatewayUrl ? [deps.gatewayUrl] : [])])
  const app = new Hono()
  app.get(`${confirmationPagePath}*`, (context, next) => {
    const path = context.req.path.slice(confirmationPagePath.length - 1)
    const file = files.get(path === '/' ? '/index.html' : path)
    if (!file) return next()
    if (!path.endsWith('.html') && path !== '/')
      return assetResponse(file, { path, asked: context.req.raw.headers, headers: assetHeaders })
    const html = new TextDecoder()
      .decode(file.content)
      .replaceAll(custodyPlaceholder, escapeHtml(custodyUrl))
      .replaceAll(gatewayPlaceholder, escapeHtml(deps.gatewayUrl ?? ''))
      .replaceAll(signingKeyPlaceholder, signingKey)
    return new Response(html, {
      headers: { ...headers, 'content-type': file.contentType, 'cache-control': 'no-store' },
    })
  })
  return app
}

/**
 * Serves the callback page of identity providers below its own path. The page has no parent. Its opener is the app, so
 * the page contains the apps' origins.
 */
function oauthApp(readOrigins: OriginReader): Hono {
  const files = readPages(builtPages('oauth'))
  const app = new Hono()
  app.get(`${oauthPagePath}*`, (context, next) => {
    const path = context.req.path.slice(oauthPagePath.length - 1)
    const file = files.get(path === '/' ? '/index.html' : path)
    if (!file) return next()
    if (!path.endsWith('.html') && path !== '/')
      return assetResponse(file, { path, asked: context.req.raw.headers, headers: assetHeaders })
    const origins = readOrigins().of(undefined) ?? []
    const html = new TextDecoder().decode(file.content).replaceAll(originsPlaceholder, escapeHtml(origins.join(' ')))
    const headers = { ...frameHeaders([]), 'content-type': file.contentType, 'cache-control': 'no-store' }
    return new Response(html, { headers })
  })
  // Some providers return a form by POST (OAuth 2.0 Form Post Response Mode § 2), which the page cannot read.
  app.post(oauthPagePath, async (context) => {
    const form = new URLSearchParams(new TextDecoder().decode(await readBody(context.req.raw, { maxBytes: 16_384 })))
    const answer = new URLSearchParams()
    for (const name of ['code', 'state', 'iss', 'error']) {
      const value = form.get(name)
      if (value !== null) answer.set(name, value)
    }
    const location = `${oauthPagePath}?${answer}`
    return new Response(null, { status: 303, headers: { ...frameHeaders([]), location, 'cache-control': 'no-store' } })
  })
  return app
}

const isSigning = ({ frameSigning = 'off' }: upsertProject.Parameters) => frameSigning === 'on'

/**
 * Serves another page on the export frame's origin while a project enables it. Its path has no trailing slash, so
 * relative files are siblings.
 */
function siblingApp(
  name: 'export-and-sign' | 'paper-key',
  pagePath: string,
  readOrigins: OriginReader,
  signingKey: string,
): Hono {
  const files = readPages(builtPages(name))
  const index = files.get('/index.html')
  const app = new Hono()
  app.on('GET', [pagePath, `${pagePath}/`, `${pagePath}/index.html`], (context, next) => {
    const parentOrigins = readOrigins().of(context.req.query(frameProjectParameter))
    return parentOrigins && index && !readOrigins().isEmpty ? page(index, parentOrigins, signingKey) : next()
  })
  app.get('*', (context, next) => {
    const path = context.req.path.replace(`${pagePath}/`, '/')
    const isServed = path.startsWith(`${pagePath}-`) && !readOrigins().isEmpty
    const file = isServed ? files.get(path) : undefined
    return file ? assetResponse(file, { path, asked: context.req.raw.headers, headers: assetHeaders }) : next()
  })
  return app
}

/** Returns the pinned key in the form that bundles use. The page must contain its placeholder. */
function requireSigningKey(
  { bundleSigningPublicKey }: framesApp.Deps,
  name: FramePage,
  index: PageFile | undefined,
): string {
  const key = (bundleSigningPublicKey ?? '').toLowerCase()
  if (!isUncompressedPoint(key))
    throw configInvalid(
      `The ${name} frame needs frames.bundleSigningPublicKey (LATCHKEY_BUNDLE_SIGNING_PUBLIC_KEY): an uncompressed P-256 point of 130 hex digits. It trusts no other key.`,
    )
  if (!new TextDecoder().decode(index?.content).includes(signingKeyPlaceholder))
    throw configInvalid(`The ${name} frame's index.html has no ${signingKeyPlaceholder} to fill in. Build it again.`)
  return key
}

function isUncompressedPoint(hex: string): boolean {
  if (!/^04[0-9a-f]{128}$/.test(hex)) return false
  try {
    p256.Point.fromHex(hex)
    return true
  } catch {
    return false
  }
}

/** Not cached, since the origins that may embed the page can change with the configuration. */
function page(file: PageFile, parentOrigins: readonly string[], signingKey: string): Response {
  const html = new TextDecoder()
    .decode(file.content)
    .replaceAll(originsPlaceholder, escapeHtml(parentOrigins.join(' ')))
    .replaceAll(signingKeyPlaceholder, signingKey)
  return new Response(html, {
    headers: { ...frameHeaders(parentOrigins), 'content-type': file.contentType, 'cache-control': 'no-store' },
  })
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
