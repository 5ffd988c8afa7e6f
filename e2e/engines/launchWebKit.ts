import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { freePorts } from 'latchkey-dev/testing'
import { demand } from '../demand.ts'
import { DriverLost, type Engine, toTab } from './tab.ts'

/** Key of an element reference (WebDriver § 11). */
const elementKey = 'element-6066-11e4-a52e-4f735466cecf'
type Element = { [elementKey]: string }
type Session = { sessionId: string; capabilities: { browserVersion: string } }

/** Starts Debian's WebKitGTK over WebDriver on a virtual display. */
export async function launchWebKit(): Promise<Engine> {
  const port = await freePorts(1)
  const driver = spawn('xvfb-run', ['-a', 'WebKitWebDriver', `--port=${port}`], { stdio: 'ignore', detached: true })
  const call: Call = (method, path, body) => request(`http://127.0.0.1:${port}${path}`, method, body)
  try {
    await untilReady(call)
    const browserOptions = { binary: findBrowser(), args: ['--automation'] }
    const timeouts = { pageLoad: loadMs }
    const alwaysMatch = { 'webkitgtk:browserOptions': browserOptions, pageLoadStrategy: 'eager', timeouts }
    const { sessionId, capabilities } = await call<Session>('POST', '/session', { capabilities: { alwaysMatch } })
    const session: Call = (method, path, body) => call(method, `/session/${sessionId}${path}`, body)
    return {
      name: `WebKitGTK ${capabilities.browserVersion}`,
      async openTab() {
        // Opens a window for each tab, because background tabs neither render nor track visibility.
        const { handle } = await session<{ handle: string }>('POST', '/window/new', { type: 'window' })
        return toTab(driveTab(session, handle))
      },
      async close() {
        await session('DELETE', '').catch(() => undefined)
        await end(driver)
      },
    }
  } catch (error) {
    await end(driver)
    throw error
  }
}

/** Calls a WebDriver command. `T` is the type of its value. */
type Call = <T = null>(method: string, path: string, body?: object) => Promise<T>

async function request<T>(url: string, method: string, body?: object): Promise<T> {
  const payload = method === 'POST' ? { body: JSON.stringify(body ?? {}) } : {}
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method, headers, ...payload, signal: AbortSignal.timeout(timeoutMs(url)) }).catch(
    (error: Error) => {
      throw new DriverLost(`WebDriver ${method} ${toCommand(url)}: ${error.name}`)
    },
  )
  const { value } = (await response.json()) as { value: (T & { message?: string }) | null }
  demand(response.ok, `WebDriver ${method} ${toCommand(url)}: ${value?.message}`)
  return value as T
}

const toCommand = (url: string) => new URL(url).pathname.split('/').slice(3).join('/')

/**
 * Timeout of a command. The driver never responds for a script that a navigation interrupted, and pages may load
 * slowly.
 */
const timeoutMs = (url: string): number =>
  url.endsWith('/execute/sync') ? 8_000 : /\/(element|frame|window)/.test(url) ? 20_000 : 60_000
const lostScripts = 3
const lostReads = 3
/** Timeout of a navigation. The driver never responds for a page that changes its own URL while it loads. */
const loadMs = 10_000

function notLost(error: Error): Error {
  if (error instanceof DriverLost) throw error
  return error
}

async function untilReady(call: Call): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const status = await call<{ ready: boolean }>('GET', '/status').catch(() => undefined)
    if (status?.ready) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  demand(false, 'WebKitWebDriver is ready within 20 s')
}

/** Returns the path of MiniBrowser, which is part of the engine's package. */
function findBrowser(): string {
  const libraries = '/usr/lib'
  for (const cpu of readdirSync(libraries).filter((name) => name.endsWith('-linux-gnu')))
    for (const name of readdirSync(join(libraries, cpu)).filter((folder) => folder.startsWith('webkit2gtk-4')))
      if (readdirSync(join(libraries, cpu, name)).includes('MiniBrowser'))
        return join(libraries, cpu, name, 'MiniBrowser')
  demand(false, "WebKitGTK's MiniBrowser is installed")
  return ''
}

async function end(driver: ChildProcess): Promise<void> {
  if (driver.exitCode !== null || driver.pid === undefined) return
  const ended = new Promise((resolve) => driver.once('exit', resolve))
  // Kills the process group, which also contains the display and the browser.
  process.kill(-driver.pid, 'SIGTERM')
  await ended
}

/** Last step. Steps run one after another, because all tabs share one session with one current window. */
let turn: Promise<unknown> = Promise.resolve()

function driveTab(session: Call, handle: string) {
  function inTurn<T>(frame: string | undefined, work: () => Promise<T>): Promise<T> {
    const next = turn.then(async () => {
      await session('POST', '/window', { handle })
      await session('POST', '/frame', { id: null })
      if (frame === undefined) return work()
      const element = await session<Element>('POST', '/element', { using: 'css selector', value: frame })
      await session('POST', '/frame', { id: element })
      return work()
    })
    turn = next.catch(() => undefined)
    return next
  }
  /** Runs a script. If the response is lost, runs the script again, because scripts only read. */
  async function run<T>(source: string): Promise<T> {
    for (let left = lostScripts; ; left--) {
      try {
        return await session<T>('POST', '/execute/sync', { script: `return ${source}`, args: [] })
      } catch (error) {
        if (left === 0 || !(error instanceof DriverLost)) throw error
      }
    }
  }
  /**
   * Returns the page's URL. The driver responds late or never for a page that changed its own URL while it loaded, or
   * that switched its process. Such a page may be the right one, and loading it again would use its e-mail link twice.
   */
  async function readAddress(): Promise<URL> {
    for (let left = lostReads; ; left--) {
      const address = await session<string>('GET', '/url').catch(notLost)
      if (typeof address === 'string') return new URL(address)
      if (left === 0) throw address
    }
  }
  const path = (element: Element, action: string) => `/element/${element[elementKey]}/${action}`
  return {
    goto: (url: string) =>
      inTurn(undefined, async () => {
        const wanted = new URL(url)
        // The page's own navigation may cancel this one.
        for (let tries = 0; tries < 3; tries++) {
          const late = await session('POST', '/url', { url }).then(() => undefined, notLost)
          const at = await readAddress()
          if (at.origin === wanted.origin && at.pathname === wanted.pathname) return
          if (late && tries === 2) throw late
        }
      }),
    reload: () => inTurn(undefined, () => session<void>('POST', '/refresh')),
    focus: () => inTurn(undefined, async () => undefined),
    close: () => inTurn(undefined, () => session<void>('DELETE', '/window')),
    evaluate: <T>(source: string, frame?: string) => inTurn(frame, () => run<T>(source)),
    find: (source: string, frame?: string) => inTurn(frame, () => run<Element | null>(source)),
    click: (element: Element, frame?: string) => inTurn(frame, () => session<void>('POST', path(element, 'click'))),
    // The driver's command for typing does not find focusable elements in frames.
    type: (element: Element, text: string, frame?: string) =>
      inTurn(frame, async () => {
        await session('POST', path(element, 'click'))
        const keys = [...text].flatMap((value) => ['keyDown', 'keyUp'].map((type) => ({ type, value })))
        await session('POST', '/actions', { actions: [{ type: 'key', id: 'keyboard', actions: keys }] })
      }),
  }
}
